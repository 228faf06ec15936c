// What must hold in every history. Throws with all that is wrong.
import { isDeepStrictEqual } from "node:util";
import type { AnyEvent, Fact } from "../../src/session/event.ts";
import { nextStep } from "../../src/session/next-step.ts";
import { statusOf } from "../../src/session/row.ts";
import { emptyView, type View } from "../../src/session/view.ts";
import { checkDeeds, checkKept, checkTakeovers, type Deeds } from "./deed-rules.ts";
import { checkLeft } from "./left-rules.ts";
import { checkLog, ownFacts, type Check } from "./log-rules.ts";
import { foldEvent, type Log } from "./memory-log.ts";

/** Of a world that has come to rest. */
export function checkHistory(deeds: Deeds, now: number): void {
  const faults: string[] = [];
  const checkAll: Check = (holds, what) => {
    if (!holds) faults.push(what);
  };
  for (const log of deeds.memory.logs.values()) {
    const check: Check = (holds, what) => checkAll(holds, `${log.id}: ${what}`);
    const events = log.stored.map(({ text }) => JSON.parse(text) as AnyEvent); // the store's own writing
    const facts = events.filter(({ type }) => type !== "draft") as Fact[];
    // What waited in one that has ended waits in its successor.
    checkLog(events, !log.closed, check, deeds.ledger.clockWentBack);
    checkDeeds(deeds, log.id, ownFacts(facts), check);
    checkRow(log, check);
    checkRecoveries(log, check);
  }
  checkKept(deeds, checkAll);
  checkTakeovers(deeds, checkAll);
  checkLeft(deeds, now, checkAll);
  if (faults.length > 0) throw new Error(faults.join("\n"));
}

/** The row that lists and claims go by says what the view says. */
function checkRow({ row, holder, stored, closed }: Log, check: Check): void {
  const view = fold(stored, emptyView());
  check(row.queued === view.queue.length, `the row counts ${row.queued} queued inputs`);
  check(row.approvals + row.questions === view.asks.length, `the row counts other asks than the view`);
  check(row.turn === (view.turn?.id ?? null), `the row has the turn ${row.turn}`);
  check(row.held === view.held, `the row's queue is held: ${row.held}`);
  check(statusOf(row) === (closed ? "ended" : "idle"), `the row is ${statusOf(row)} though all is done`);
  check(holder === null || closed, `${holder} still holds it`);
}

/** Whoever recovers from the same log does the same: from its start, or from a snapshot somewhere on the way. */
function checkRecoveries({ stored }: Log, check: Check): void {
  const every = Math.max(1, Math.floor(stored.length / PREFIXES));
  for (let n = stored.length % every; n < stored.length; n += every) {
    const end = stored[n]!;
    const { at } = JSON.parse(end.text) as AnyEvent;
    const whole = fold(stored.slice(0, n + 1), emptyView());
    const half = fold(stored.slice(0, n >> 1), emptyView());
    const resumed = fold(stored.slice(n >> 1, n + 1), JSON.parse(JSON.stringify(half)) as View);
    check(isDeepStrictEqual(resumed, whole), `a fold from a snapshot up to ${end.position} differs`);
    check(
      isDeepStrictEqual(nextStep(whole, "m", at), nextStep(resumed, "m", at)),
      `two recoveries at ${end.position} go on differently`,
    );
  }
}

const PREFIXES = 5;

function fold(stored: Log["stored"], view: View): View {
  for (const { text } of stored) foldEvent(view, JSON.parse(text) as AnyEvent);
  return view;
}
