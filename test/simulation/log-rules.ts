// What must hold in every log, whoever wrote it and whatever happened meanwhile: told by the log alone.
import { apply } from "../../src/session/apply.ts";
import { attemptOf } from "../../src/session/draft.ts";
import type { AnyEvent, Fact } from "../../src/session/event.ts";
import { stepOf, textOf } from "../../src/session/parts.ts";
import { isFactPosition, seqOf } from "../../src/session/position.ts";
import { emptyView } from "../../src/session/view.ts";

export type Check = (holds: boolean, what: string) => void;

/** `events` is a log from its beginning; `done` when nothing is left to do in it. After a clock went back, a time says little. */
export function checkLog(
  events: readonly AnyEvent[],
  done: boolean,
  check: Check,
  clockWentBack = false,
): void {
  const facts = events.filter(({ type }) => type !== "draft") as Fact[];
  checkOrder(events, check);
  checkStoppedWords(events, check);
  checkTurns(facts, done, clockWentBack, check);
  checkInputs(facts, done, check);
  checkQueue(facts, check);
  checkAsks(facts, check);
  checkCompactions(facts, check);
}

/** Those that it did not take over from the session that it goes on from. */
export function ownFacts<T extends AnyEvent>(events: readonly T[]): T[] {
  return events.slice(events.findLastIndex(({ type }) => type === "session_forked") + 1);
}

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

/** Whoever carries a stop out, the model is told all that it had said by then. */
function checkStoppedWords(events: readonly AnyEvent[], check: Check): void {
  const view = emptyView();
  for (const event of events) {
    const { position, type, data } = event as Fact;
    if (type === "step_aborted" && data.reason === "stopped") {
      const parts = stepOf(view, attemptOf(data.step, data.attempt))?.parts ?? [];
      const texts = parts.flatMap((part) => (part.kind === "text" && part.text !== "" ? [part.text] : []));
      const said = texts.join("\n\n").trim();
      check(
        (data.said ?? "") === said,
        `${position}: stopped after "${said}", told "${textOf(data.said ?? "")}"`,
      );
    }
    apply(view, event); // after it: where there are no drafts, the fold takes the fact at its word
  }
}

/** One turn at a time, each with one end, after which nothing of it is open or comes. */
function checkTurns(facts: readonly Fact[], done: boolean, clockWentBack: boolean, check: Check): void {
  let turn: string | undefined;
  let failed: string | undefined;
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
        check(
          data.retries === failed || data.retries === undefined,
          `${position}: ${data.retries} did not fail`,
        );
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
        check(at >= retryAt || clockWentBack, `${position}: tried again before its time`);
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
        check(!stopped || type === "tool_proposed", `${position}: a tool is started after the stop`);
        check(takeovers <= 3, `${position}: a tool is started after ${takeovers} takeovers`);
        check(calls.has(data.call), `${position}: ${type} of ${data.call}, which is not open`);
        break;
      case "ask_opened":
        check(!stopped, `${position}: a person is asked after the stop`);
        asks.add(data.ask);
        break;
      case "ask_answered":
      case "ask_closed":
        asks.delete(data.ask);
        break;
      case "executor_recovered":
        check(data.takeover - takeovers <= 1, `${position}: takeover ${data.takeover} after ${takeovers}`);
        takeovers = data.takeover;
        break;
      case "turn_ended":
        check(data.turn === turn, `${position}: ${data.turn} ends within ${turn}`);
        check(streaming === undefined, `${position}: ${streaming} outlives its turn`);
        check(calls.size === 0, `${position}: ${[...calls].join()} outlive their turn`);
        check(asks.size === 0, `${position}: ${[...asks].join()} outlive their turn`);
        [turn, retryAt] = [undefined, ""];
        failed = data.outcome === "failed" ? data.turn : undefined;
        break;
      default:
    }
  }
  check(!done || turn === undefined, `${turn} has no end`);
}

/** Each input reaches the agent once, as it was last written, unless it was taken back first. */
function checkInputs(facts: readonly Fact[], done: boolean, check: Check): void {
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
  check(!done || waiting.size === 0, `${[...waiting.keys()].join()} wait though all is done`);
}

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
    if (type === "turn_started" && data.retries === undefined)
      check(!held, `${position}: a turn starts though the queue is held`);
    if (type === "queue_released" && "keeper" in by) {
      check(!begun, `${position}: a delegate is let go twice`);
      begun = true;
    }
    const waits = waiting.size > 0 && ![...waiting.values()].includes(true);
    const next = facts[n + 1]?.type;
    const taken = next === "session_forked"; // what goes on from there has its own queue
    if (type === "turn_ended" && data.outcome === "stopped" && waits && !taken)
      check(next === "queue_held", `${position}: the queue is not held after the stop`);
  }
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

/** A compaction has one end, and each leaves out more than the one before. */
function checkCompactions(facts: readonly Fact[], check: Check): void {
  let compacting = false;
  let covers = "";
  for (const { position, type, data } of facts) {
    if (type === "compaction_started") {
      check(!compacting, `${position}: a compaction begins within another`);
      compacting = true;
    }
    if (type === "step_started" || type === "turn_ended")
      check(!compacting, `${position}: ${type} before a compaction has ended`);
    if (type !== "context_compacted" && type !== "compaction_failed") continue;
    check(compacting, `${position}: ${type}, but none had begun`);
    compacting = false;
    if (type === "compaction_failed") continue;
    check(data.covers > covers, `${position}: it leaves out no more than the one before`);
    covers = data.covers;
  }
}
