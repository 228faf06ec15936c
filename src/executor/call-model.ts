// One attempt of a step: the intent is in the log already; here the model speaks, its words become drafts, and the
// outcome becomes one fact.
import type { Driver, ProviderFault, StepRequest, StepResult } from "../driver/driver.ts";
import type { Secrets } from "../secret/secrets.ts";
import { planCompaction, wasCompactedFor } from "../session/compaction.ts";
import { attemptOf } from "../session/draft.ts";
import { failpoint } from "../failpoint.ts";
import type { LongText, NewFact, Usage } from "../session/event.ts";
import { answerFacts, heldOver } from "../session/next-step.ts";
import type { Clock } from "./clock.ts";
import type { DraftBeat } from "./draft-beat.ts";
import { DraftWriter } from "./draft-writer.ts";
import type { HeldSession } from "./held-session.ts";
import { storableMessage } from "./storable-message.ts";
import { wordsOf } from "./stopped-answer.ts";
import { ThinkingTimes } from "./thinking-times.ts";
import { nextRetry, type RetryLimits } from "./retry-time.ts";

export type Attempt = {
  session: HeldSession;
  driver: Driver;
  request: StepRequest;
  step: string;
  attempt: number;
  /** Aborted with one of STOPS as its reason. */
  signal: AbortSignal;
  price: (usage: Usage) => Usage;
  longText: (text: string) => Promise<LongText>;
  secrets: Secrets;
  /** What the model can take, for when it was too much. */
  contextTokens: number;
  retry: RetryLimits;
  clock: Clock;
  /** A time to try again is told by the store's clock, which will say when it has come. */
  storeAheadMs: number;
  beat: DraftBeat;
  chance: () => number;
};

/** Why an attempt is broken off from our side. */
export type Stop = "stopped" | "shutdown";

export async function callModel(attempt: Attempt): Promise<void> {
  const { session, step, signal } = attempt;
  const owner = attemptOf(step, attempt.attempt);
  const drafts = new DraftWriter(attempt.beat, attempt.secrets, async (events) => {
    if (await session.appendDrafts(events)) await session.catchUp();
    failpoint("mid-stream");
  });
  failpoint("after-intent");
  const thought = new ThinkingTimes(attempt.clock);
  const said = new Map<number, string>();
  const begunMs = attempt.clock.now();
  const result = await attempt.driver.step(
    attempt.request,
    (delta) => {
      thought.hear(delta);
      if (delta.kind === "text") said.set(delta.piece, (said.get(delta.piece) ?? "") + delta.text);
      drafts.add(`${owner}/${delta.piece}`, delta.kind, delta.text);
    },
    signal,
  );
  failpoint("after-effect");
  // Before the fact, which sweeps them: of an answer that is whole it says the last words too, and a commit sooner.
  await (result.outcome === "completed" ? drafts.leaveRest() : drafts.flush());
  const facts = await outcomeFacts(attempt, result, thought, said, attempt.clock.now() - begunMs);
  const whole = withEnd(attempt, facts);
  if (whole.length > facts.length && (await session.appendDecided(whole))) return;
  // What others have said meanwhile may keep the turn going: then the answer stands alone. One that failed is over.
  await session.append([...facts, ...heldAfter(attempt, facts)]);
}

function withEnd(attempt: Attempt, facts: readonly NewFact[]): NewFact[] {
  const { view } = attempt.session;
  const whole = facts.flatMap((fact) => (fact.type === "step_completed" ? answerFacts(view, fact) : [fact]));
  return [...whole, ...heldAfter(attempt, facts)];
}

/** Not when what waits would be put to another model, which a person has chosen meanwhile. */
function heldAfter({ session: { view }, request }: Attempt, facts: readonly NewFact[]): NewFact[] {
  if (view.meta.model !== null && view.meta.model !== request.model) return [];
  return facts.flatMap((fact) =>
    fact.type === "turn_ended" && fact.data.error ? heldOver(view, fact.data.error.code) : [],
  );
}

async function outcomeFacts(
  attempt: Attempt,
  result: StepResult,
  thought: ThinkingTimes,
  said: ReadonlyMap<number, string>,
  tookMs: number,
): Promise<NewFact[]> {
  const named = { step: attempt.step, attempt: attempt.attempt };
  switch (result.outcome) {
    case "completed":
      return [
        {
          type: "step_completed",
          data: {
            ...named,
            message: await storableMessage(thought.told(result.message), attempt),
            model: attempt.request.model,
            ...(result.usage && { usage: attempt.price(result.usage) }),
            ...(result.finish !== "stop" && result.finish !== "tools" && { finish: result.finish }),
          },
        },
      ];
    case "stopped":
      return [await stoppedFact(attempt, said)];
    case "failed":
      return failureFacts(attempt, result.fault, said, tookMs);
  }
}

/** A server that stops takes it up again and has it answered anew: then nothing has to be known of it. */
async function stoppedFact(
  { step, attempt, signal, longText }: Attempt,
  said: ReadonlyMap<number, string>,
): Promise<NewFact> {
  const reason = signal.reason as Stop;
  const words = reason === "stopped" ? await wordsOf(said.values(), longText) : {};
  return { type: "step_aborted", data: { step, attempt, reason, ...words } };
}

/** What passes by itself gets a time to try again; what does not, or no longer, ends the turn with its reason. */
async function failureFacts(
  attempt: Attempt,
  fault: ProviderFault,
  said: ReadonlyMap<number, string>,
  tookMs: number,
): Promise<NewFact[]> {
  const { step, session } = attempt;
  const turn = session.view.turn;
  const error = {
    code: fault.class,
    message: fault.message,
    ...(fault.details !== undefined && { details: fault.details }),
  };
  const retry = nextRetry({
    fault,
    attempt: attempt.attempt,
    tookMs,
    triedMs: turn?.triedMs ?? 0,
    now: attempt.clock.now(),
    chance: attempt.chance(),
    limits: attempt.retry,
  });
  const aborted: NewFact = {
    type: "step_aborted",
    data: {
      step,
      attempt: attempt.attempt,
      reason: fault.class,
      error,
      ...(retry && {
        retryAt: new Date(retry.at + attempt.storeAheadMs).toISOString(),
        triedMs: retry.triedMs,
      }),
    },
  };
  if (retry || !turn) return [aborted];
  const plan =
    fault.class === "context_too_long" && !wasCompactedFor(session.view, step)
      ? planCompaction(session.context, attempt.contextTokens)
      : undefined;
  if (plan) return [aborted, { type: "compaction_started", data: { covers: plan.covers } }];
  const words = await wordsOf(said.values(), attempt.longText);
  return [
    aborted,
    { type: "turn_ended", data: { turn: turn.id, outcome: "failed", error, usage: turn.usage, ...words } },
  ];
}
