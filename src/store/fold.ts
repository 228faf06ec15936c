// A session's view out of its log: the newest snapshot and what came after it, in slices that let others in between.
import { setImmediate as nextTurn } from "node:timers/promises";
import { apply } from "../session/apply.ts";
import type { AnyEvent } from "../session/event.ts";
import { isFactPosition, seqOf, START, type Position } from "../session/position.ts";
import { emptyView, type View } from "../session/view.ts";
import { DamagedEvent, type LogId, type Snapshot } from "./store.ts";

/** Raised when `View` or `apply` changes (snapshot-version.test.ts tells): snapshots of another version are as good as none. */
export const SNAPSHOT_VERSION = 14;

/** Small enough that a slice of them is folded in about a millisecond. */
const SLICE_EVENTS = 100;

export type ReadEvents = (after: Position, limit: number) => Promise<AnyEvent[]>;

export type Folding = {
  log: LogId;
  read: ReadEvents;
  from?: Snapshot | undefined;
  /** The last event to fold in; all that there is when absent. */
  to?: Position;
  /** Throws between two slices once it is aborted. */
  signal?: AbortSignal | undefined;
};

export async function foldView({ log, read, from, to, signal }: Folding): Promise<View> {
  const view = from?.view ?? emptyView();
  while (true) {
    const events = await read(view.position, SLICE_EVENTS);
    for (const event of events) {
      if (to !== undefined && event.position > to) return view;
      foldEvent(log, view, event);
    }
    if (events.length < SLICE_EVENTS) return view;
    await nextTurn();
    signal?.throwIfAborted();
  }
}

/** A view, and how many facts it took since its snapshot. */
export type Folded = { view: View; facts: number };

/** Of the whole log, as it is now. */
export async function foldLog({ from, ...folding }: Omit<Folding, "to">): Promise<Folded> {
  const before = seqOf(from?.position ?? START);
  const view = await foldView({ ...folding, from });
  return { view, facts: seqOf(view.position) - before };
}

function foldEvent(log: LogId, view: View, event: AnyEvent): void {
  const { outcome } = apply(view, event);
  if (outcome !== "gap") return;
  if (isFactPosition(event.position)) throw new DamagedEvent(log, event.position); // the fact before it is missing
  // A draft whose part has a hole adds nothing to the view, but what follows it counts from here.
  view.position = event.position;
}
