// Every event that can still be read, in the order of writing, which is also the order of each log. It reads the table
// alone, without an index, and goes on behind pages that are damaged.
import { StorageError } from "../store.ts";
import type { Database } from "./database.ts";

export type StoredEvent = [id: number, log: number, seq: number, sub: number, crc: number, text: string];

/** Events that can't be read: those behind `after`, as far as they reached. */
export type Hole = { after: number; reason: string };

const PAGE_EVENTS = 200;
/** More events than a file ever has: there is nothing behind. */
const FURTHEST = 2 ** 42;

export function* readAll(database: Database): Generator<StoredEvent[] | Hole> {
  let after = 0;
  let limit = PAGE_EVENTS;
  while (true) {
    const page = read(database, after, limit);
    if (Array.isArray(page)) {
      if (page.length > 0) yield page;
      if (page.length < limit) return;
      after = page.at(-1)?.[0] ?? after;
    } else if (limit > 1) {
      limit = 1; // the good ones in front of it come one by one
    } else {
      yield { after, reason: page.reason };
      const next = behindHole(database, after);
      if (next === undefined) return;
      after = next;
      limit = PAGE_EVENTS;
    }
  }
}

/** What the file or the disk said, without advice: whoever reads this is already looking at the damage. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof StorageError)) throw error;
  return error.cause instanceof Error ? error.cause.message : error.message;
}

/** The place from which on events can be read again: leaps until there is one, then back as near as it goes. */
function behindHole(database: Database, hole: number): number | undefined {
  let [bad, good] = [hole, hole + 1];
  while (isUnreadable(database, good)) {
    if (good > FURTHEST) return undefined;
    [bad, good] = [good, hole + (good - hole) * 2];
  }
  while (good - bad > 1) {
    const middle = Math.floor((bad + good) / 2);
    if (isUnreadable(database, middle)) bad = middle;
    else good = middle;
  }
  return good;
}

function isUnreadable(database: Database, after: number): boolean {
  return !Array.isArray(read(database, after, 1));
}

function read(database: Database, after: number, limit: number): StoredEvent[] | { reason: string } {
  try {
    return database.tuples<StoredEvent>(
      "select id, log, seq, sub, crc, cast(text as text) from event where id > ? order by id limit ?",
      after,
      limit,
    );
  } catch (error) {
    // A damaged row may hold a number that JavaScript has not.
    if (error instanceof RangeError) return { reason: error.message };
    return { reason: reasonOf(error) };
  }
}
