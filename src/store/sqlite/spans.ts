// In which blocks a log has events, in its own order. Looked up a few at a time: most readers need only one.
import type { Place } from "../place.ts";
import type { Database } from "./database.ts";

const AT_A_TIME = 64;
const END: Place = { seq: Number.MAX_SAFE_INTEGER, sub: 0 };

/** From the block that has the first event after `after`, or would have it, to the last that has one in front of `before`. */
export function* blocksAfter(
  database: Database,
  log: number,
  after: Place,
  before: Place = END,
): Generator<number> {
  const first = database.tuple<SpanTuple>(
    "select block, seq, sub from span where log = ? and (seq, sub) <= (?, ?) order by seq desc, sub desc limit 1",
    log,
    after.seq,
    after.sub,
  );
  let [block, seq, sub] = first ?? [-1, -1, -1];
  if (first) yield block;
  while (true) {
    const spans = database.tuples<SpanTuple>(
      `select block, seq, sub from span
        where log = ? and (seq, sub) > (?, ?) and (seq, sub) < (?, ?) order by seq, sub limit ${AT_A_TIME}`,
      log,
      seq,
      sub,
      before.seq,
      before.sub,
    );
    for ([block, seq, sub] of spans) yield block;
    if (spans.length < AT_A_TIME) return;
  }
}

/** Backwards from the block that has the last event in front of `before`. */
export function* blocksBefore(database: Database, log: number, before: Place): Generator<number> {
  let { seq, sub } = before;
  let block: number;
  while (true) {
    const spans = database.tuples<SpanTuple>(
      `select block, seq, sub from span where log = ? and (seq, sub) < (?, ?) order by seq desc, sub desc limit ${AT_A_TIME}`,
      log,
      seq,
      sub,
    );
    for ([block, seq, sub] of spans) yield block;
    if (spans.length < AT_A_TIME) return;
  }
}

type SpanTuple = [block: number, seq: number, sub: number];
