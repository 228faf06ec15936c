// What must hold in every history, whatever happened: read from the logs alone, and from them against what really
// happened. Throws with all that is wrong.
import { isDeepStrictEqual } from "node:util";
import { processName } from "../../src/executor/run-command.ts";
import { apply } from "../../src/session/apply.ts";
import type { AnyEvent, Fact, FactData } from "../../src/session/event.ts";
import { nextStep } from "../../src/session/next-step.ts";
import { isFactPosition, seqOf } from "../../src/session/position.ts";
import { statusOf } from "../../src/session/row.ts";
import { emptyView, type View } from "../../src/session/view.ts";
import type { Ledger } from "./ledger.ts";
import { foldEvent, type Log, type MemoryStore } from "./memory-store.ts";
import type { ProcessTable } from "./process-table.ts";

export function checkHistory(memory: MemoryStore, table: ProcessTable, ledger: Ledger): void {
  const faults: string[] = [];
  for (const log of memory.logs.values()) {
    const events = log.stored.map(({ text }) => JSON.parse(text) as AnyEvent); // the store's own writing
    const facts = events.filter(({ type }) => type !== "draft") as Fact[];
    const check = (holds: boolean, what: string) => {
      if (!holds) faults.push(`${log.id}: ${what}`);
    };
    checkOrder(events, check);
    checkTurns(facts, check);
    checkStops(facts, ledger, check);
    checkInputs(facts, check);
    checkQueue(facts, check);
    checkAsks(facts, check);
    checkCalls(log.id, facts, table, ledger, check);
    checkAnswers(log.id, facts, ledger, check);
    checkRow(log, check);
    checkRecoveries(log, check);
  }
  for (const { session, position, text } of ledger.kept)
    if (!memory.logs.get(session)?.stored.some((event) => event.position === position && event.text === text))
      faults.push(`${session}: the fact at ${position} was there when an executor died, and is not any more`);
  for (const { log, from } of memory.takeovers)
    if (
      !ledger.clockJumped &&
      ![ledger.deaths, ledger.shutdowns, ledger.troubled].some((all) => all.has(from))
    )
      faults.push(`${log}: taken from ${from}, to whom nothing had happened`);
  if (faults.length > 0) throw new Error(faults.join("\n"));
}

type Check = (holds: boolean, what: string) => void;

/** Facts are gapless, drafts have no holes, and nobody writes once a later holder has. */
function checkOrder(events: readonly AnyEvent[], check: Check): void {
  let seq = 0;
  let epoch = 0;
  const view = emptyView();
  for (const event of events) {
    const { position, by } = event;
    check(apply(view, event).outcome === "applied", `${position} does not follow what is before it`);
    if (isFactPosition(position)) {
      check(seqOf(position) === seq + 1, `${position} follows fact ${seq}`);
      seq = seqOf(position);
    }
    if (!("epoch" in by)) continue;
    check(by.epoch >= epoch, `${position} is of epoch ${by.epoch}, after one of ${epoch}`);
    epoch = by.epoch;
  }
}

/** One turn at a time, each with one end, after which nothing of it is open or comes. */
function checkTurns(facts: readonly Fact[], check: Check): void {
  let turn: string | undefined;
  let stopped = false;
  let takeovers = 0;
  let retryAt = "";
  const attempts = new Map<string, number>();
  let streaming: string | undefined;
  const calls = new Set<string>();
  const asks = new Set<string>();
  for (const { position, at, type, data } of facts) {
    switch (type) {
      case "turn_started":
        check(turn === undefined, `${position}: ${data.turn} starts within ${turn}`);
        [turn, stopped, takeovers] = [data.turn, false, 0];
        break;
      case "stop_requested":
        if (data.turn === turn) stopped = true;
        break;
      case "step_started":
        check(data.turn === turn, `${position}: a step of ${data.turn} within ${turn}`);
        check(!stopped, `${position}: a model is called after the stop`);
        check(takeovers <= 3, `${position}: a model is called after ${takeovers} takeovers`);
        check(streaming === undefined, `${position}: a step begins within ${streaming}`);
        check(data.attempt === (attempts.get(data.step) ?? 0) + 1, `${position}: attempt ${data.attempt}`);
        check(calls.size === 0, `${position}: a step begins before ${[...calls].join()} have their results`);
        check(at >= retryAt, `${position}: tried again before its time`);
        if (data.attempt === 1) takeovers = 0;
        attempts.set(data.step, data.attempt);
        streaming = `${data.step}.${data.attempt}`;
        retryAt = "";
        break;
      case "step_completed":
      case "step_aborted":
        check(
          streaming === `${data.step}.${data.attempt}`,
          `${position}: ${type}, but ${streaming} is under way`,
        );
        streaming = undefined;
        if (type === "step_aborted") retryAt = data.retryAt ?? "";
        else for (const piece of data.message) if (piece.type === "call") calls.add(piece.call);
        break;
      case "tool_finished":
        check(calls.delete(data.call), `${position}: a result of ${data.call}, which is not open`);
        break;
      case "tool_proposed":
      case "tool_started":
        check(takeovers <= 3, `${position}: a tool is started after ${takeovers} takeovers`);
        check(calls.has(data.call), `${position}: ${type} of ${data.call}, which is not open`);
        break;
      case "ask_opened":
        asks.add(data.ask);
        break;
      case "ask_answered":
      case "ask_closed":
        asks.delete(data.ask);
        break;
      case "executor_recovered":
        takeovers += 1;
        break;
      case "turn_ended":
        check(data.turn === turn, `${position}: ${data.turn} ends within ${turn}`);
        check(streaming === undefined, `${position}: ${streaming} outlives its turn`);
        check(calls.size === 0, `${position}: ${[...calls].join()} outlive their turn`);
        check(asks.size === 0, `${position}: ${[...asks].join()} outlive their turn`);
        check(isExpected(data.error), `${position}: ${data.error?.message}`);
        [turn, retryAt] = [undefined, ""];
        break;
      default:
    }
  }
  check(turn === undefined, `${turn} has no end`);
}

function isExpected(error: FactData<"turn_ended">["error"]): boolean {
  return error?.code !== "internal" || error.message.includes("the disk failed");
}

/** Whoever is at work and can hear of a stop honours it soon. */
function checkStops(facts: readonly Fact[], { pauses }: Ledger, check: Check): void {
  for (const [n, stop] of facts.entries()) {
    if (stop.type !== "stop_requested") continue;
    const { turn } = stop.data;
    const end = facts.find(({ type, data }) => type === "turn_ended" && data.turn === turn);
    const before = facts.findLast(({ by }, at) => at < n && "epoch" in by)?.by;
    if (!end || !before || !isDeepStrictEqual(before, end.by) || !("epoch" in before)) continue;
    const from = Date.parse(stop.at);
    const tookMs = (Date.parse(end.at) - from) % DAY_MS; // a clock that jumps, jumps by days
    const stoodStill = pauses.some((each) => each.node === before.executor && each.until > from);
    check(stoodStill || tookMs <= STOP_WITHIN_MS, `${stop.position}: honoured after ${tookMs} ms`);
  }
}

/** A tool that takes no notice, then a few slow answers of the store. */
const STOP_WITHIN_MS = 20_000;
const DAY_MS = 24 * 3600_000;

/** What waits after a stop waits for a person's word. */
function checkQueue(facts: readonly Fact[], check: Check): void {
  const waiting = new Map<string, boolean>();
  let held = false;
  let begun = false;
  for (const [n, { position, type, data, by }] of facts.entries()) {
    if (type === "input_admitted" || type === "input_edited")
      waiting.set(data.input, data.delivery === "now");
    if (type === "input_delivered" || type === "input_withdrawn") waiting.delete(data.input);
    if (type === "input_admitted" || type === "queue_released") held = false;
    if (type === "queue_held") held = true;
    if (type === "turn_started") check(!held, `${position}: a turn starts though the queue is held`);
    if (type === "queue_released" && "keeper" in by) {
      check(!begun, `${position}: a delegate is let go twice`);
      begun = true;
    }
    const waits = waiting.size > 0 && ![...waiting.values()].includes(true);
    if (type === "turn_ended" && data.outcome === "stopped" && waits)
      check(facts[n + 1]?.type === "queue_held", `${position}: the queue is not held after the stop`);
  }
}

/** Each input reaches the agent once, as it was last written, unless it was taken back first. */
function checkInputs(facts: readonly Fact[], check: Check): void {
  const waiting = new Map<string, string>();
  const seen = new Set<string>();
  for (const { position, type, data } of facts) {
    if (type === "input_admitted") {
      check(!seen.has(data.input), `${position}: ${data.input} is admitted twice`);
      seen.add(data.input);
      waiting.set(data.input, position);
    }
    if (type === "input_edited" || type === "input_moved")
      check(waiting.has(data.input), `${position}: ${type} of ${data.input}, which does not wait`);
    if (type === "input_edited") waiting.set(data.input, position);
    if (type === "input_withdrawn")
      check(waiting.delete(data.input), `${position}: ${data.input} is withdrawn, but does not wait`);
    if (type !== "input_delivered") continue;
    check(waiting.get(data.input) === data.from, `${position}: ${data.input} is delivered from ${data.from}`);
    waiting.delete(data.input);
  }
  check(waiting.size === 0, `${[...waiting.keys()].join()} wait though all is done`);
}

/** An ask ends once: by one answer, or by being closed. */
function checkAsks(facts: readonly Fact[], check: Check): void {
  const open = new Set<string>();
  const seen = new Set<string>();
  for (const { position, type, data } of facts) {
    if (type === "ask_opened") {
      check(!seen.has(data.ask), `${position}: ${data.ask} is opened twice`);
      seen.add(data.ask);
      open.add(data.ask);
    }
    if (type === "ask_answered" || type === "ask_closed")
      check(open.delete(data.ask), `${position}: ${type} of ${data.ask}, which is not open`);
  }
}

type Finish = FactData<"tool_finished">;

/** What a call did is what its result says, and it did it once. */
function checkCalls(
  session: string,
  facts: readonly Fact[],
  table: ProcessTable,
  ledger: Ledger,
  check: Check,
): void {
  const finishes = new Map<string, Finish & { at: string }>();
  for (const { type, data, at } of facts)
    if (type === "tool_finished") finishes.set(data.call, { ...data, at });
  const asked = new Set(
    facts.flatMap(({ type, data }) =>
      type === "ask_opened" && data.kind === "approval" && data.call !== undefined ? [data.call] : [],
    ),
  );
  const allowed = allowedCalls(facts);
  const background = new Set(
    facts.flatMap(({ type, data }) =>
      type === "process_started" && data.background && data.call !== undefined ? [data.call] : [],
    ),
  );
  for (const fact of facts) {
    if (fact.type !== "step_completed") continue;
    for (const piece of fact.data.message) {
      if (piece.type !== "call") continue;
      const { call, name } = piece;
      const finish = finishes.get(call);
      if (!finish) continue; // said already, where its turn ends
      const { status } = finish;
      const effects = name === "shell" ? begun(table, session, call) : ledger.effectsOf(session, call);
      const which = `${name} ${call} (${status})`;
      if (name === "shell" || name === "launch") check(effects <= 1, `${which} took effect ${effects} times`);
      if (asked.has(call) && !allowed.has(call)) check(effects === 0, `${which} was never allowed, but ran`);
      if (status === "denied") check(effects === 0, `${which} took effect`);
      if (status === "ok" && name !== "ask" && name !== "delegate")
        check(effects >= 1, `${which} never took effect`);
      if (name !== "shell") continue;
      const process = lastProcess(facts, call);
      const real = process === undefined ? undefined : table.get(process);
      if (finish.exit !== undefined)
        check(real?.state === "exited" && real.exit === finish.exit, `${which} tells exit ${finish.exit}`);
      if (status === "error" && finish.exit === undefined)
        check(effects === 0, `${which} tells that it could not begin, but it did`);
      if (real && !ledger.unstopped.has(real.id) && !background.has(call))
        check(
          real.endedAt !== null && real.endedAt <= finish.at,
          `${which} still ran when its result was told`,
        );
    }
  }
}

function allowedCalls(facts: readonly Fact[]): Set<string> {
  const callOf = new Map<string, string>();
  const allowed = new Set<string>();
  for (const { type, data } of facts) {
    if (type === "ask_opened" && data.call !== undefined) callOf.set(data.ask, data.call);
    const call = type === "ask_answered" ? callOf.get(data.ask) : undefined;
    if (type === "ask_answered" && call !== undefined && data.answer.choice !== "deny") allowed.add(call);
  }
  return allowed;
}

function begun(table: ProcessTable, session: string, call: string): number {
  const name = processName(session, call, 1);
  return table.begun.get(name.slice(0, name.lastIndexOf("."))) ?? 0;
}

function lastProcess(facts: readonly Fact[], call: string): string | undefined {
  const started = facts.findLast(({ type, data }) => type === "tool_started" && data.call === call);
  return started?.type === "tool_started" ? started.data.process : undefined;
}

/** What stands in the log as the model's is what the model said. */
function checkAnswers(session: string, facts: readonly Fact[], ledger: Ledger, check: Check): void {
  for (const { position, type, data } of facts)
    if (type === "step_completed")
      check(
        ledger.answersOf(session, data.step).some((answer) => isDeepStrictEqual(answer, data.message)),
        `${position}: ${data.step} is not what the model said`,
      );
}

/** The row that lists and claims go by says what the view says. */
function checkRow({ id, row, holder, stored }: Log, check: Check): void {
  const view = fold(stored, emptyView());
  check(row.queued === view.queue.length, `${id}: the row counts ${row.queued} queued inputs`);
  check(row.approvals + row.questions === view.asks.length, `${id}: the row counts other asks than the view`);
  check(row.turn === (view.turn?.id ?? null), `${id}: the row has the turn ${row.turn}`);
  check(row.held === view.held, `${id}: the row's queue is held: ${row.held}`);
  check(statusOf(row) === "idle", `${id}: the row is ${statusOf(row)} though all is done`);
  check(holder === null, `${id}: ${holder} still holds it`);
}

/** Whoever recovers from the same log does the same: from its start, or from a snapshot somewhere on the way. */
function checkRecoveries({ id, stored }: Log, check: Check): void {
  const every = Math.max(1, Math.floor(stored.length / PREFIXES));
  for (let n = stored.length % every; n < stored.length; n += every) {
    const end = stored[n]!;
    const { at } = JSON.parse(end.text) as AnyEvent;
    const whole = fold(stored.slice(0, n + 1), emptyView());
    const half = fold(stored.slice(0, n >> 1), emptyView());
    const resumed = fold(stored.slice(n >> 1, n + 1), JSON.parse(JSON.stringify(half)) as View);
    check(isDeepStrictEqual(resumed, whole), `${id}: a fold from a snapshot up to ${end.position} differs`);
    check(
      isDeepStrictEqual(nextStep(whole, "m", at), nextStep(resumed, "m", at)),
      `${id}: two recoveries at ${end.position} go on differently`,
    );
  }
}

const PREFIXES = 5;

function fold(stored: Log["stored"], view: View): View {
  for (const { text } of stored) foldEvent(view, JSON.parse(text) as AnyEvent);
  return view;
}
