// What an executor does next, from the view alone: the same for whoever asks, so another executor goes on exactly where
// the last one stopped. It is asked between effects: what the view shows as under way is then the work of one that died.
import type { NewFact, Usage } from "./event.ts";
import { preview, textOf, type Step } from "./parts.ts";
import { seqOf } from "./position.ts";
import { columnText } from "./title.ts";
import { addUsage } from "./usage.ts";
import type { Delegate, QueuedInput, ToolPart, View } from "./view.ts";

export type NextStep =
  /** Idle, held or ended: give the lease back. */
  | { do: "rest" }
  /** Nothing to do before an answer or a time: give the lease back, the ask or the timer wakes the session. */
  | { do: "wait"; asks: readonly string[]; until: string | null }
  /** Only facts: no effect comes before them. */
  | { do: "record"; facts: NewFact[] }
  /** `facts` begin it; they are appended before the model is called. */
  | { do: "call_model"; step: string; attempt: number; facts: NewFact[] }
  /** The context does not fit: it is made shorter, then the step is tried once more. */
  | { do: "compact" }
  /** Calls of a completed step that have no result yet, each as far as it has come. */
  | { do: "run_tools"; step: string; calls: readonly ToolPart[] }
  /** The turn ends here: end what still runs of it, then append `facts`. */
  | { do: "stop"; calls: readonly ToolPart[]; facts: NewFact[] };

type CallModel = Extract<NextStep, { do: "call_model" }>;

export type Limits = {
  maxSteps: number;
  maxTakeovers: number;
  /** Nobody waits longer before a retry: a time that is farther away was set by a clock that has been set back since. */
  maxWaitMs: number;
};

export const USUAL_LIMITS: Limits = { maxSteps: 200, maxTakeovers: 3, maxWaitMs: 3_600_000 };

/** Calls that can't go on before another of their step does: by that one's. */
export type Behind = ReadonlyMap<string, string>;

const NONE: Behind = new Map();

export function nextStep(
  view: View,
  model: string,
  now: string,
  limits: Limits = USUAL_LIMITS,
  behind: Behind = NONE,
): NextStep {
  const { turn } = view;
  if (view.ended) return { do: "rest" };
  if (!turn) return startTurn(view, model);
  if (turn.stopRequested) return stopTurn(view, turn.id);
  if (turn.takeovers > limits.maxTakeovers)
    return fail(
      view,
      turn.id,
      "crash_loop",
      `This step was taken over ${turn.takeovers} times: whoever worked on it died.`,
    );

  if (view.compacting) return { do: "compact" };
  const step = lastStep(view, turn.id);
  if (!step) return callModel(view, turn.id, newStepId(view), 1, model);
  switch (step.state) {
    case "streaming": {
      const lost: NewFact = {
        type: "step_aborted",
        data: { ...named(step), reason: "its server was lost" },
      };
      const again = callModel(view, turn.id, step.step, step.attempt + 1, model);
      return { ...again, facts: [lost, ...again.facts] };
    }
    case "aborted":
      if (turn.retryAt !== null && isAhead(turn.retryAt, now, limits))
        return { do: "wait", asks: [], until: turn.retryAt };
      return callModel(view, turn.id, step.step, step.attempt + 1, model);
    case "completed":
      return afterStep(view, step, model, limits, behind);
  }
}

function isAhead(retryAt: string, now: string, { maxWaitMs }: Limits): boolean {
  return retryAt > now && Date.parse(retryAt) - Date.parse(now) <= maxWaitMs;
}

/** A prompt that stops what runs comes first, then steers whose turn ended before them, then the queue. */
export function nextInput(queue: readonly QueuedInput[]): QueuedInput | undefined {
  return (
    queue.find(({ delivery }) => delivery === "now") ?? queue.find(({ kind }) => kind === "steer") ?? queue[0]
  );
}

/** Everything that must be said of a turn that a person stopped, once nothing of it runs any more. */
export function stopFacts(view: View, turn: string): NewFact[] {
  const facts: NewFact[] = endedCompaction(view, "stopped");
  const step = lastStep(view, turn);
  if (step?.state === "streaming")
    facts.push({ type: "step_aborted", data: { ...named(step), reason: "stopped" } });
  facts.push(...stoppedProcesses(view), ...stoppedDelegates(view));
  for (const part of openCalls(view))
    facts.push({
      type: "tool_finished",
      data: { call: part.call, status: "stopped", result: stoppedWords(part) },
    });
  for (const { ask, kind } of view.asks)
    facts.push({ type: "ask_closed", data: { ask, kind, reason: "withdrawn" } });
  facts.push({ type: "turn_ended", data: { turn, outcome: "stopped" } });
  const goesOn = view.queue.some(({ delivery }) => delivery === "now");
  if (view.queue.length > 0 && !goesOn) facts.push({ type: "queue_held", data: { reason: "stopped" } });
  return facts;
}

/** What was begun is not known to be undone: whoever goes on must not take it for that. Of a command its own trace tells. */
function stoppedWords({ state, effect, process }: ToolPart): string {
  if (state !== "started") return "Stopped by a person before it began. Nothing was done.";
  return effect === "read" || process !== null
    ? "Stopped by a person."
    : "Stopped by a person. It may have taken effect before that: verify.";
}

export function lastStep(view: View, turn: string): Step | undefined {
  const last = view.messages.findLast((message) => message.kind === "step");
  return last?.kind === "step" && last.turn === turn ? last : undefined;
}

export function openCalls(view: View): ToolPart[] {
  const step = view.turn && lastStep(view, view.turn.id);
  return step
    ? step.parts.filter(
        (part): part is ToolPart => part.kind === "tool" && part.call !== "" && part.state !== "finished",
      )
    : [];
}

/** The turn and its first step begin at once: a commit less before the model is asked. */
function startTurn(view: View, model: string): NextStep {
  const input = view.held ? undefined : nextInput(view.queue);
  if (!input) return { do: "rest" };
  const turn = turnId(view);
  const rest = { ...view, queue: view.queue.filter((other) => other !== input) };
  const first = callModel(rest, turn, newStepId(view), 1, model);
  return { ...first, facts: [...startFacts(view, input), ...first.facts] };
}

/** A turn without its first step; none when nothing waits. */
export function startFacts(view: View, input = nextInput(view.queue)): NewFact[] {
  if (!input) return [];
  const turn = turnId(view);
  return [
    ...title(view, input),
    { type: "turn_started", data: { turn, inputs: [input.input] } },
    { type: "input_delivered", data: { input: input.input, turn, from: input.position } },
  ];
}

/** Unique in its log, and the same for whoever derives it. */
export function turnId(view: View): string {
  return `t${seqOf(view.position) + 1}`;
}

const TITLE_CHARS = 60;

/** A session that nobody named is named after what began it. */
function title({ meta }: View, { text }: QueuedInput): NewFact[] {
  if (meta.title !== null) return [];
  const line = columnText(textOf(text)).trim().split("\n", 1).join().trim();
  const cut = line.length > TITLE_CHARS ? `${preview(line, TITLE_CHARS - 1).trimEnd()}…` : line;
  return cut === "" ? [] : [{ type: "session_titled", data: { title: cut } }];
}

function stopTurn(view: View, turn: string): NextStep {
  return { do: "stop", calls: openCalls(view), facts: stopFacts(view, turn) };
}

function afterStep(view: View, step: Step, model: string, limits: Limits, behind: Behind): NextStep {
  const { turn } = view;
  if (!turn) return { do: "rest" };
  const calls = openCalls(view);
  if (calls.length > 0) {
    // An ask or a delegate holds its own call, and what can't go on before that; the others go on, and what is left is a row.
    const held = new Set([...view.asks, ...view.delegates].map(({ call }) => call));
    return calls.every(({ call }) => held.has(call) || held.has(behind.get(call) ?? call))
      ? { do: "wait", asks: view.asks.map(({ ask }) => ask), until: null }
      : { do: "run_tools", step: step.step, calls };
  }
  const hasCalls = step.parts.some((part) => part.kind === "tool");
  if (!hasCalls && !isSteered(view)) return { do: "record", facts: [turnCompleted(turn.id, turn.usage)] };
  if (turn.steps >= limits.maxSteps)
    return fail(
      view,
      turn.id,
      "too_many_steps",
      `The turn reached its limit of ${limits.maxSteps} steps (executor.maxSteps).`,
    );
  return callModel(view, turn.id, newStepId(view), 1, model);
}

/** A step's answer, and with it the end of its turn if nothing is left to do: what `nextStep` would say of the two. */
export function answerFacts(view: View, answer: Extract<NewFact, { type: "step_completed" }>): NewFact[] {
  const { turn } = view;
  const { message, usage } = answer.data;
  const goesOn =
    !turn ||
    turn.stopRequested ||
    view.compacting ||
    message.some(({ type }) => type === "call") ||
    isSteered(view);
  if (goesOn) return [answer];
  const sum = { ...turn.usage };
  if (usage) addUsage(sum, usage);
  return [answer, turnCompleted(turn.id, sum)];
}

function turnCompleted(turn: string, usage: Usage): NewFact {
  return { type: "turn_ended", data: { turn, outcome: "completed", usage } };
}

function isSteered({ queue }: View): boolean {
  return queue.some(({ kind }) => kind === "steer");
}

/** Steers enter in front of the call, so that the model hears them in the order in which people spoke. */
function callModel(view: View, turn: string, step: string, attempt: number, model: string): CallModel {
  const steers = view.queue.filter(({ kind }) => kind === "steer");
  return {
    do: "call_model",
    step,
    attempt,
    facts: [
      ...steers.map(({ input, position }): NewFact => ({
        type: "input_delivered",
        data: { input, turn, step, from: position },
      })),
      { type: "step_started", data: { turn, step, attempt, model } },
    ],
  };
}

/** Ends a turn that can't go on, leaving nothing of it open. */
export function failFacts(view: View, turn: string, code: string, message: string): NewFact[] {
  const unfinished = openCalls(view).map(({ call, state }): NewFact => ({
    type: "tool_finished",
    data:
      state === "started"
        ? { call, status: "unknown", result: "It is not known whether this took effect: verify." }
        : { call, status: "error", result: "Nothing was done: the turn ended before it began." },
  }));
  const step = lastStep(view, turn);
  const aborted: NewFact[] =
    step?.state === "streaming" ? [{ type: "step_aborted", data: { ...named(step), reason: message } }] : [];
  const asks = view.asks.map(({ ask, kind }): NewFact => ({
    type: "ask_closed",
    data: { ask, kind, reason: "withdrawn" },
  }));
  const ended: NewFact = { type: "turn_ended", data: { turn, outcome: "failed", error: { code, message } } };
  const uncompacted = endedCompaction(view, message);
  return [
    ...uncompacted,
    ...aborted,
    ...stoppedProcesses(view),
    ...stoppedDelegates(view),
    ...unfinished,
    ...asks,
    ended,
    ...heldOver(view, code),
  ];
}

/** What no other prompt would pass either: each would only be spent on it. */
const FOR_EVERY_PROMPT: ReadonlySet<string> = new Set(["auth", "unknown_model", "unusable_profile"]);

/** What waits behind a turn that failed goes on by itself, unless it would fail alike. */
export function heldOver({ queue }: Pick<View, "queue">, code: string): NewFact[] {
  return queue.length > 0 && FOR_EVERY_PROMPT.has(code)
    ? [{ type: "queue_held", data: { reason: `failed: ${code}` } }]
    : [];
}

function fail(view: View, turn: string, code: string, message: string): NextStep {
  return { do: "stop", calls: openCalls(view), facts: failFacts(view, turn, code, message) };
}

function endedCompaction({ compacting }: View, reason: string): NewFact[] {
  return compacting ? [{ type: "compaction_failed", data: { reason } }] : [];
}

/** The processes of calls that end with their turn; background ones go on. */
function stoppedProcesses(view: View): NewFact[] {
  const calls = new Set(openCalls(view).map(({ call }) => call));
  return view.processes.flatMap(({ process, call, background }): NewFact[] =>
    !background && call !== undefined && calls.has(call)
      ? [{ type: "process_stopped", data: { process, exit: null } }]
      : [],
  );
}

/** The sessions that work for a call end with it; those in the background go on. */
export function foregroundDelegates(view: View): Delegate[] {
  return view.delegates.filter(({ background }) => !background);
}

function stoppedDelegates(view: View): NewFact[] {
  return foregroundDelegates(view).map(({ session, call }) => ({
    type: "delegate_returned",
    data: { session, call, outcome: "stopped", summary: "" },
  }));
}

function newStepId(view: View): string {
  return `s${seqOf(view.position) + 1}`;
}

function named({ step, attempt }: Step): { step: string; attempt: number } {
  return { step, attempt };
}
