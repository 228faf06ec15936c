// One log in memory: where it stands, how it is written and folded.
import { apply } from "../../src/session/apply.ts";
import { isDraft, ownerOf, sweptBy } from "../../src/session/draft.ts";
import type { AnyEvent, By, NewEvent } from "../../src/session/event.ts";
import { formatPosition, isFactPosition, type Position } from "../../src/session/position.ts";
import { EMPTY_ROW, type RowState } from "../../src/session/row.ts";
import type { View } from "../../src/session/view.ts";
import type { LogId, NodeId, Origin } from "../../src/store/store.ts";

export type Log = {
  readonly id: LogId;
  readonly stored: Stored[];
  seq: number;
  sub: number;
  epoch: number;
  holder: NodeId | null;
  leaseUntil: number;
  /** Up to which fact nothing was left to do when the lease was last given back. */
  restedSeq: number;
  closed: boolean;
  row: RowState;
  origin: Origin | null;
  /** When it last began to wait for an executor, or was claimed by one. */
  waitsSince: number;
};

/** As its text, so that each reader gets its own copy. */
type Stored = { position: Position; seq: number; owner: string | null; text: string };

export function newLog(id: LogId, origin: Origin | null, now: number): Log {
  return {
    id,
    stored: [],
    seq: 0,
    sub: 0,
    epoch: 0,
    holder: null,
    leaseUntil: 0,
    restedSeq: 0,
    closed: false,
    row: { ...EMPTY_ROW },
    origin,
    waitsSince: now,
  };
}

/** Behind its last event, and sweeps the drafts that this makes superfluous. */
export function writeEvents(log: Log, events: readonly NewEvent[], at: string, by: By): void {
  if (events.length === 0) throw new RangeError("an append needs at least one event");
  const sweeps = new Set<string>();
  for (const event of events) {
    if (isDraft(event)) log.sub += 1;
    else Object.assign(log, { seq: log.seq + 1, sub: 0 });
    const position = formatPosition(log.seq, log.sub);
    const owner = isDraft(event) ? ownerOf(event.data.part) : null;
    log.stored.push({
      position,
      seq: log.seq,
      owner,
      text: JSON.stringify({ position, at, by, ...event }),
    });
    const swept = sweptBy(event);
    if (swept !== undefined) sweeps.add(swept);
    if (event.type === "session_ended") log.closed = true;
  }
  const kept = log.stored.filter(
    ({ owner, seq }) => owner === null || !sweeps.has(owner) || seq === log.seq, // the newest stays
  );
  if (kept.length < log.stored.length) log.stored.splice(0, log.stored.length, ...kept);
}

export function foldEvent(view: View, event: AnyEvent): void {
  if (apply(view, event).outcome !== "gap") return;
  if (isFactPosition(event.position)) throw new Error(`the fact before ${event.position} is missing`);
  view.position = event.position; // of a draft whose part has a hole nothing is seen, but what follows counts from here
}
