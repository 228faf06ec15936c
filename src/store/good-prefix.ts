// What can still be read of a damaged log: every event up to the first that is not what was written.
import type { AnyEvent } from "../session/event.ts";
import { formatPosition, seqOf, START, type Position } from "../session/position.ts";
import { DamagedEvent, StorageError, type LogId, type Store } from "./store.ts";

const SLICE_EVENTS = 200;

/**
 * Ends before the first damaged event, whose position it returns; undefined when all is well. A log that is deleted
 * meanwhile ends like that too, with what was read of it before.
 */
export async function* goodPrefix(
  store: Pick<Store, "events" | "head">,
  log: LogId,
): AsyncGenerator<AnyEvent, Position | "deleted" | undefined> {
  const isDeleted = async () => (await store.head(log)) === undefined;
  let after = START;
  let slice = SLICE_EVENTS;
  while (true) {
    let events: AnyEvent[];
    try {
      events = await store.events(log, after, slice);
      if (await isDeleted()) return "deleted"; // what is still left of it may have gaps
    } catch (error) {
      const isUnreadable = error instanceof StorageError && error.kind === "broken";
      if (!(error instanceof DamagedEvent) && !isUnreadable) throw error;
      // Of events that can't be read at all only where they begin is known.
      if (slice === 1)
        return error instanceof DamagedEvent ? error.position : formatPosition(seqOf(after) + 1, 0);
      slice = 1; // the good ones in front of it come one by one
      continue;
    }
    for (const event of events) {
      yield event;
      after = event.position;
    }
    // Once more: what the last of them refer to may have gone while they were taken.
    if (events.length < slice) return (await isDeleted()) ? "deleted" : undefined;
  }
}
