// One held session, worked on until nothing is left to do but wait: ask what is next, append the intent, act, append the
// outcome. Everything that decides is in the log; what is in memory here can be lost at any line.
import type { Driver } from "../driver/driver.ts";
import type { Policy } from "../session/approval.ts";
import type { Secrets } from "../secret/secrets.ts";
import type { LongText, NewFact, Rule, Usage } from "../session/event.ts";
import { failFacts, nextStep, startFacts, type Limits, type NextStep } from "../session/next-step.ts";
import type { Position } from "../session/position.ts";
import type { View } from "../session/view.ts";
import { StorageError, type Claim, type DamagedEvent, type Lease, type Store } from "../store/store.ts";
import type { Place } from "../tool/tool.ts";
import type { Toolbox } from "../tool/toolbox.ts";
import { abandonCalls } from "./abandon-calls.ts";
import { allowsMore } from "./allows-more.ts";
import { callModel } from "./call-model.ts";
import type { Clock } from "./clock.ts";
import { compact } from "./compact.ts";
import type { Commands } from "./commands.ts";
import type { Delegates } from "./delegates.ts";
import type { DraftBeat } from "./draft-beat.ts";
import { endTurn } from "./end-turn.ts";
import type { FileLanes } from "./file-lanes.ts";
import { HeldSession, LeaseLost } from "./held-session.ts";
import { newAsk } from "./new-ask.ts";
import { modelContext } from "./model-context.ts";
import type { RetryLimits } from "./retry-time.ts";
import { runTools } from "./run-tools.ts";
import type { Asked } from "./save-rule.ts";
import { withWords } from "./stopped-answer.ts";
import { toolSpecs } from "./tool-specs.ts";
import type { ToolWork } from "./tool-work.ts";
import { withStops } from "./with-stops.ts";
import type { Worker, Workspace } from "./workspace.ts";

/** A named agent, resolved from the configuration. */
export type Profile = {
  driver: Driver;
  model: string;
  instructions: (workspace: string) => string;
  workspace: (session: Worker) => Workspace;
  toolbox: Toolbox;
  /** The MCP servers of which it has the tools, whether or not they are there just now. */
  mcp: readonly string[];
  /** What the configuration says; saved rules come from the store at the moment of the decision. */
  policy: Omit<Policy, "saved">;
  /** What its model can take. */
  contextTokens: number;
  /** Without it an ask waits for ever. */
  askExpiryMs?: number;
  sandboxed: boolean;
  /** Whether its sandbox lets commands reach the network. */
  network: boolean;
  /** Of what the server's environment holds, what its commands get. */
  passEnv: readonly string[];
  price: (model: string, usage: Usage) => Usage;
};

export type DrainContext = {
  store: Store;
  /** Or why there is none that can work. */
  profile: (name: string) => Profile | { unusable: string };
  commands: Commands;
  delegates: Delegates;
  /** HOLDFAST_HOME, which no tool gets to see. */
  hidden: string;
  /** Why it can't be worked in; undefined when it can. */
  openWorkspace: (workspace: Workspace) => Promise<string | undefined>;
  savedRules: (profile: string) => Promise<readonly Rule[]>;
  saveRule: (profile: string, rule: Rule, asked: Asked) => Promise<void>;
  longText: (session: string, text: string) => Promise<LongText>;
  /** What must not get into words on their way, nor into a call; `store` keeps it out of all the rest. */
  secrets: Secrets;
  newAsk: () => string;
  leftRunning?: () => void;
  /** Nobody can go on with this session; whoever sends something to it should know. */
  damaged?: (damage: DamagedEvent) => void;
  clock: Clock;
  /** One for all sessions. */
  beat: DraftBeat;
  /** One for all sessions, which may share a workspace. */
  lanes: FileLanes;
  chance: () => number;
  limits: Limits;
  retry: RetryLimits;
  /** How long a model may take over a summary. */
  summaryTimeoutMs: number;
  log: { info(detail: object, message: string): void; error(detail: object, message: string): void };
};

export async function drain(
  context: DrainContext,
  { lease, takeover, crash, atMs }: Claim,
  shutdown: AbortSignal,
  makeWay: () => Promise<boolean>,
): Promise<void> {
  const hold: Hold = { storeAheadMs: atMs - context.clock.now(), makeWay, behind: new Map() };
  const lost = new AbortController();
  const stopHeartbeat = keepLease(context, lease, lost);
  try {
    const session = await HeldSession.open(context.store, lease);
    // A stranded one was given back in order, but says that nobody goes on with it.
    if (takeover || session.view.turn?.recovering) await takeUp(context, session, crash);
    const rested = await work(context, hold, session, AbortSignal.any([lost.signal, shutdown]));
    await context.store.releaseLease(lease, rested);
  } catch (error) {
    if (!(error instanceof LeaseLost)) throw error;
    context.log.info(
      { session: lease.log, epoch: lease.epoch, why: error.message },
      "the lease went to another executor",
    );
  } finally {
    stopHeartbeat();
  }
}

/** After one that died: what it may have left half done and that no step shows. */
async function takeUp({ delegates }: DrainContext, session: HeldSession, crash: boolean): Promise<void> {
  const { turn } = session.view;
  if (turn) {
    const takeover = turn.takeovers + Number(crash); // a storage that fails again and again is no fault of the step's
    await session.append([{ type: "executor_recovered", data: { epoch: session.lease.epoch, takeover } }]);
  }
  for (const { session: child } of session.view.delegates) await delegates.begin(session.id, child);
}

/** What is only true while this lease is held. */
type Hold = {
  /** How far the store's clock is ahead of ours. It says what is due, so what is to be due later is told in its time. */
  storeAheadMs: number;
  /** Asked between two turns: true when another session has got this one's place. */
  makeWay: () => Promise<boolean>;
  /** Calls that wait for another of their step, which waits for a person: found out by trying, so by each holder anew. */
  behind: Map<string, string>;
};

/** Gives the position at which nothing was left to do, or undefined when it was broken off or made way. */
async function work(
  context: DrainContext,
  hold: Hold,
  session: HeldSession,
  broken: AbortSignal,
): Promise<Position | undefined> {
  const { limits, clock } = context;
  const endedBefore = lastTurnEnd(session.view);
  for (;;) {
    const { view } = session;
    const { position, meta, turn } = view;
    const profile = context.profile(meta.profile);
    const model = meta.model ?? ("unusable" in profile ? "none" : profile.model);
    const next = nextStep(view, model, iso(clock.now() + hold.storeAheadMs), limits, hold.behind);
    if (next.do === "rest" || next.do === "wait") {
      if (next.do === "rest") await context.delegates.report(session);
      return position;
    }
    if (broken.aborted) return undefined; // not before: a session at rest is not looked at again for its report
    if (!turn && lastTurnEnd(view) !== endedBefore && (await hold.makeWay())) return undefined;
    try {
      if ("unusable" in profile && turn)
        await end(context, session, failFacts(view, turn.id, "unusable_profile", profile.unusable));
      else if ("unusable" in profile) await session.appendDecided(startFacts(view));
      else await perform(context, hold, session, profile, next, broken);
    } catch (error) {
      if (error instanceof LeaseLost || error instanceof StorageError) throw error;
      await giveUp(context, session, error);
    }
  }
}

function lastTurnEnd({ messages }: View): Position | undefined {
  return messages.findLast(({ kind }) => kind === "turn_end")?.position;
}

async function perform(
  context: DrainContext,
  hold: Hold,
  session: HeldSession,
  profile: Profile,
  next: NextStep,
  broken: AbortSignal,
): Promise<void> {
  switch (next.do) {
    case "record":
      await session.appendDecided(next.facts);
      return;
    case "stop":
      await abandonCalls(session, {
        tools: profile.toolbox.tools(),
        place: placeOf(context, session, profile),
        log: context.log,
      });
      return end(context, session, await withWords(context, session.id, next.facts));
    case "call_model":
      if (!(await haveTools(context, session, profile, broken))) return;
      if (!(await session.appendDecided(next.facts))) return;
      return withStops(context, session, broken, (signal) =>
        attempt(context, hold, session, profile, next, signal),
      );
    case "compact":
      return withStops(context, session, broken, (signal) => shorten(context, session, profile, signal));
    case "run_tools":
      if (!(await haveTools(context, session, profile, broken))) return;
      return withStops(context, session, broken, (signal) =>
        runTools(toolWork(context, hold, session, profile, signal)),
      );
    case "rest":
    case "wait":
      return;
  }
}

/**
 * Whether all tools are there that are to be had; each that is not is told, once in a turn. Else something was done about it,
 * which took time in which anything may have happened.
 */
async function haveTools(
  context: DrainContext,
  session: HeldSession,
  { toolbox }: Profile,
  broken: AbortSignal,
): Promise<boolean> {
  const isSettled = toolbox.isSettled();
  const untold = isSettled ? untoldIn(session.view, toolbox.missing()) : [];
  if (isSettled && untold.length === 0) return true;
  if (!session.view.turn) await session.appendDecided(startFacts(session.view)); // for all to see that it has begun
  else if (isSettled)
    await session.append(untold.map((text) => ({ type: "notice", data: { level: "warn", text } })));
  else await withStops(context, session, broken, (signal) => toolbox.settle(signal));
  return false;
}

function untoldIn({ messages }: View, notices: readonly string[]): string[] {
  if (notices.length === 0) return [];
  const ofTurn = messages.slice(messages.findLastIndex(({ kind }) => kind === "turn_end") + 1);
  const told = new Set(ofTurn.flatMap((message) => (message.kind === "notice" ? [message.text] : [])));
  return notices.filter((text) => !told.has(text));
}

async function attempt(
  context: DrainContext,
  { storeAheadMs }: Hold,
  session: HeldSession,
  profile: Profile,
  next: Extract<NextStep, { do: "call_model" }>,
  signal: AbortSignal,
): Promise<void> {
  const { step, attempt: number } = next;
  const model = session.view.meta.model ?? profile.model;
  const { path } = profile.workspace(workerOf(session));
  await callModel({
    session,
    driver: profile.driver,
    request: {
      model,
      step,
      instructions: profile.instructions(path),
      context: await modelContext(context.store, session.context.entries),
      tools: toolSpecs(profile.toolbox.tools()),
      session: session.id,
    },
    step,
    attempt: number,
    signal,
    price: (usage) => profile.price(model, usage),
    longText: longTextOf(context, session),
    secrets: context.secrets,
    contextTokens: profile.contextTokens,
    retry: context.retry,
    clock: context.clock,
    storeAheadMs,
    beat: context.beat,
    chance: context.chance,
  });
}

async function shorten(
  context: DrainContext,
  session: HeldSession,
  profile: Profile,
  signal: AbortSignal,
): Promise<void> {
  const model = session.view.meta.model ?? profile.model;
  await compact({
    session,
    driver: profile.driver,
    model,
    contextTokens: profile.contextTokens,
    timeoutMs: context.summaryTimeoutMs,
    signal,
    price: (usage) => profile.price(model, usage),
    longText: longTextOf(context, session),
    clock: context.clock,
  });
}

function toolWork(
  context: DrainContext,
  { storeAheadMs, behind }: Hold,
  session: HeldSession,
  profile: Profile,
  signal: AbortSignal,
): ToolWork {
  const { meta } = session.view;
  const workspace = profile.workspace(workerOf(session));
  const expiresAtMs = () =>
    profile.askExpiryMs === undefined ? undefined : context.clock.now() + storeAheadMs + profile.askExpiryMs;
  const policy = async () => ({
    ...profile.policy,
    saved: [...(await context.savedRules(meta.profile)), ...session.view.rules],
  });
  let opened: Promise<string | undefined> | undefined;
  /** One that was made for it stands in the log, so that whoever goes on from a copy of the log finds its files. */
  const open = async () => {
    const fault = await context.openWorkspace(workspace);
    if (fault === undefined && workspace.scratch)
      await session.append([{ type: "workspace_chosen", data: { workspace: workspace.path } }]);
    return fault;
  };
  return {
    session,
    store: context.store.id,
    tools: profile.toolbox.tools(),
    missingTools: profile.toolbox.missing(),
    place: placeOf(context, session, profile),
    openWorkspace: () => (opened ??= open()),
    policy,
    sandboxed: profile.sandboxed,
    async allowsMore(name) {
      const other = name === meta.profile ? profile : context.profile(name);
      if (other === profile || "unusable" in other) return false; // of one that can't work nothing is done at all
      const saved = await context.savedRules(name);
      return allowsMore(
        { ...profile, policy: await policy() },
        { ...other, policy: { ...other.policy, saved } },
      );
    },
    commands: context.commands,
    delegates: context.delegates,
    newAsk: () => newAsk(context.store, session.id, context.newAsk(), expiresAtMs()),
    ...(context.leftRunning && { leftRunning: context.leftRunning }),
    clock: context.clock,
    beat: context.beat,
    lanes: context.lanes,
    behind,
    secrets: context.secrets,
    saveRule: (rule, call) => context.saveRule(meta.profile, rule, { session: session.id, call }),
    longText: longTextOf(context, session),
    signal,
  };
}

function end(context: DrainContext, session: HeldSession, facts: NewFact[]): Promise<void> {
  return endTurn({ ...context, longText: longTextOf(context, session) }, session, facts);
}

/** Hidden before it is put aside: how it begins stands in the event, and could end in the middle of a secret. */
function longTextOf({ longText, secrets }: DrainContext, { id }: HeldSession): ToolWork["longText"] {
  return (text) => longText(id, secrets.hide(text));
}

function placeOf({ hidden }: DrainContext, session: HeldSession, profile: Profile): Place {
  return { session: session.id, workspace: profile.workspace(workerOf(session)).path, hidden };
}

export function workerOf({ id, view }: HeldSession): Worker {
  return { id, workspace: view.meta.workspace };
}

/** A fault of ours ends the turn with its reason: a session is never wedged, and never tries the same for ever. */
async function giveUp(context: DrainContext, session: HeldSession, error: unknown): Promise<void> {
  context.log.error({ session: session.id, err: error }, "a step failed unexpectedly");
  await session.catchUp();
  const { turn } = session.view;
  if (!turn) throw error;
  const message = error instanceof Error ? error.message : String(error);
  await end(
    context,
    session,
    failFacts(session.view, turn.id, "internal", `Holdfast itself failed: ${message}`),
  );
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

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
