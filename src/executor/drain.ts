// One held session, worked on until nothing is left to do but wait: ask what is next, append the intent, act, append the
// outcome. Everything that decides is in the log; what is in memory here can be lost at any line.
import type { Driver } from "../driver/driver.ts";
import type { Policy } from "../session/approval.ts";
import type { FactData, NewFact, Usage } from "../session/event.ts";
import { failFacts, nextStep, openCalls, type Limits, type NextStep } from "../session/next-step.ts";
import type { ToolPart } from "../session/view.ts";
import { StorageError, type Lease, type Store } from "../store/store.ts";
import type { Tool } from "../tool/tool.ts";
import { callModel, type Stop } from "./call-model.ts";
import type { Clock } from "./clock.ts";
import type { Commands } from "./commands.ts";
import { HeldSession, LeaseLost } from "./held-session.ts";
import { modelContext } from "./model-context.ts";
import type { RetryLimits } from "./retry-time.ts";
import { runTools } from "./run-tools.ts";
import type { Delegates } from "./tool-work.ts";
import { toolSpecs } from "./tool-specs.ts";

/** A named agent, resolved from the configuration. */
export type Profile = {
  driver: Driver;
  model: string;
  instructions: string;
  workspace: string;
  tools: ReadonlyMap<string, Tool>;
  policy: Policy;
  sandboxed: boolean;
  price: (model: string, usage: Usage) => Usage;
};

export type DrainContext = {
  store: Store;
  profile: (name: string) => Profile | undefined;
  commands: Commands;
  delegates: (session: HeldSession) => Delegates;
  saveRule: (profile: string, rule: FactData<"rule_added">) => Promise<void>;
  longText: (session: string, text: string) => Promise<FactData<"tool_finished">["result"]>;
  newAsk: () => string;
  clock: Clock;
  chance: () => number;
  limits: Limits;
  retry: RetryLimits;
  log: { info(detail: object, message: string): void; error(detail: object, message: string): void };
};

export async function drain(
  context: DrainContext,
  lease: Lease,
  takeover: boolean,
  shutdown: AbortSignal,
): Promise<void> {
  const lost = new AbortController();
  const letGo = keepLease(context, lease, lost);
  try {
    const session = await HeldSession.open(context.store, lease);
    const { turn } = session.view;
    if (takeover && turn)
      await session.append([
        { type: "executor_recovered", data: { epoch: lease.epoch, takeover: turn.takeovers + 1 } },
      ]);
    await work(context, session, AbortSignal.any([lost.signal, shutdown]));
    await context.store.releaseLease(lease);
  } catch (error) {
    if (!(error instanceof LeaseLost)) throw error;
    context.log.info(
      { session: lease.log, epoch: lease.epoch, why: error.message },
      "the lease went to another executor",
    );
  } finally {
    letGo();
  }
}

async function work(context: DrainContext, session: HeldSession, broken: AbortSignal): Promise<void> {
  const { limits, clock } = context;
  while (!broken.aborted) {
    const { meta, turn } = session.view;
    const profile = context.profile(meta.profile);
    if (!profile) {
      if (!turn && session.view.queue.length === 0) return;
      if (turn)
        await session.append(
          failFacts(
            session.view,
            turn.id,
            "unknown_profile",
            `There is no profile "${meta.profile}" in the configuration.`,
          ),
        );
      else await session.append(startOf(nextStep(session.view, "none", iso(clock.now()), limits)));
      continue;
    }
    const next = nextStep(session.view, meta.model ?? profile.model, iso(clock.now()), limits);
    if (next.do === "rest" || next.do === "wait") return;
    try {
      await perform(context, session, profile, next, broken);
    } catch (error) {
      if (error instanceof LeaseLost || error instanceof StorageError) throw error;
      await giveUp(context, session, error);
    }
  }
}

async function perform(
  context: DrainContext,
  session: HeldSession,
  profile: Profile,
  next: NextStep,
  broken: AbortSignal,
): Promise<void> {
  switch (next.do) {
    case "record":
      return session.append(next.facts);
    case "stop":
      await stopCalls(context, next.calls);
      return session.append(next.facts);
    case "call_model":
      await session.append(next.facts);
      return withStops(context.store, session, broken, (signal) =>
        attempt(context, session, profile, next, signal),
      );
    case "run_tools":
      return withStops(context.store, session, broken, (signal) =>
        runTools(toolWork(context, session, profile, signal)),
      );
    case "rest":
    case "wait":
      return;
  }
}

async function attempt(
  context: DrainContext,
  session: HeldSession,
  profile: Profile,
  next: Extract<NextStep, { do: "call_model" }>,
  signal: AbortSignal,
): Promise<void> {
  const { step, attempt: number } = next;
  const model = session.view.meta.model ?? profile.model;
  await callModel({
    session,
    driver: profile.driver,
    request: {
      model,
      step,
      instructions: profile.instructions,
      context: await modelContext(context.store, session.context.entries),
      tools: toolSpecs(profile.tools),
      session: session.id,
    },
    step,
    attempt: number,
    signal,
    price: (usage) => profile.price(model, usage),
    retry: context.retry,
    clock: context.clock,
    chance: context.chance,
  });
}

function toolWork(context: DrainContext, session: HeldSession, profile: Profile, signal: AbortSignal) {
  const { meta } = session.view;
  return {
    session,
    tools: profile.tools,
    place: { session: session.id, workspace: meta.workspace ?? profile.workspace },
    policy: () => ({ ...profile.policy, saved: [...profile.policy.saved, ...session.view.rules] }),
    sandboxed: profile.sandboxed,
    commands: context.commands,
    delegates: context.delegates(session),
    newAsk: context.newAsk,
    clock: context.clock,
    saveRule: (rule: FactData<"rule_added">) => context.saveRule(meta.profile, rule),
    longText: (text: string) => context.longText(session.id, text),
    signal,
  };
}

/** Runs an effect that a person may stop: a stop is a fact, so the log is watched for it meanwhile. */
async function withStops(
  store: Store,
  session: HeldSession,
  broken: AbortSignal,
  run: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const stop = new AbortController();
  const over = new AbortController();
  const shutdown = () => stop.abort("shutdown" satisfies Stop);
  broken.addEventListener("abort", shutdown);
  if (broken.aborted) shutdown();
  const wakes = store.watch(session.id, over.signal);
  const watching = (async () => {
    if (session.view.turn?.stopRequested) return stop.abort("stopped" satisfies Stop);
    for await (const _ of wakes) {
      await session.catchUp();
      if (session.view.turn?.stopRequested) return stop.abort("stopped" satisfies Stop);
    }
  })();
  try {
    await run(stop.signal);
  } finally {
    over.abort();
    broken.removeEventListener("abort", shutdown);
    await watching;
  }
}

/** Background processes go on: only what a call waits for ends with its turn. */
async function stopCalls(context: DrainContext, calls: readonly ToolPart[]): Promise<void> {
  const processes = calls.flatMap(({ process }) => (process === null ? [] : [process]));
  await Promise.all(processes.map((process) => context.commands.stop(process, "stopped")));
}

/** A fault of ours ends the turn with its reason: a session is never wedged, and never tries the same for ever. */
async function giveUp(context: DrainContext, session: HeldSession, error: unknown): Promise<void> {
  context.log.error({ session: session.id, err: error }, "a step failed unexpectedly");
  await session.catchUp();
  const { turn } = session.view;
  if (!turn) throw error;
  const message = error instanceof Error ? error.message : String(error);
  await stopCalls(context, openCalls(session.view));
  await session.append(failFacts(session.view, turn.id, "internal", `Holdfast itself failed: ${message}`));
}

/** Renews at a third of the lease's time, so that two renewals may fail before it is anyone else's. */
function keepLease({ store, clock }: DrainContext, lease: Lease, lost: AbortController): () => void {
  let over = false;
  let cancel = clock.after(lease.ttlMs / 3, beat);
  return () => {
    over = true;
    cancel();
  };

  function beat(): void {
    void store
      .renewLease(lease)
      .catch(() => ({ ok: true as const })) // a storage error is no verdict
      .then(({ ok }) => {
        if (!ok) lost.abort();
        else if (!over) cancel = clock.after(lease.ttlMs / 3, beat);
      });
  }
}

function startOf(next: NextStep): NewFact[] {
  if (next.do !== "record") throw new Error(`a session without a turn was told to ${next.do}`);
  return next.facts;
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
