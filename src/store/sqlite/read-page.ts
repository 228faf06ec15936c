// A page of a log as bytes, checked: as many slices of blocks as fit.
import { formatPosition, type Position } from "../../session/position.ts";
import { releaseOf } from "../page-memory.ts";
import { placeOf } from "../place.ts";
import { DamagedEvent, PAGE_EVENTS, type LogId, type Page } from "../store.ts";
import type { Database } from "./database.ts";
import { FROM, readFirst, readSlice, type First, type From } from "./page-slice.ts";
import { readKey } from "./read-events.ts";
import { blocksAfter } from "./spans.ts";

export function readPage(database: Database, log: LogId, after: Position, maxBytes: number): Page {
  database.run("begin"); // of one moment, and locked once rather than for each statement
  try {
    return readNow(database, log, after, maxBytes);
  } finally {
    database.run("commit");
  }
}

function readNow(database: Database, log: LogId, after: Position, maxBytes: number): Page {
  const key = readKey(database, log);
  const page: Page = { bytes: NOTHING, count: 0, last: after, upToDate: true };
  if (key === undefined) return page;
  const parts: Buffer[] = [];
  let bound: number | undefined;
  for (const block of blocksAfter(database, key, placeOf(after))) {
    const first = readFirst(database, fromHere(block));
    if (first === undefined) continue; // all that was in this block has been swept
    bound ??= first.reach + maxBytes; // bytes of the log, so that the first event is always in
    readBlock(block, first, bound);
    page.upToDate = !isThereMore(database, fromHere(block));
    if (!page.upToDate) break;
  }
  page.bytes = joined(parts);
  page.release = releaseOf(page.bytes);
  return page;

  function readBlock(block: number, begin: First, reach: number): void {
    let bytes = parts.reduce((sum, part) => sum + part.length, 0);
    let first: First | undefined = begin;
    while (first && first.reach <= reach && page.count < PAGE_EVENTS) {
      const limit = Math.min(
        PAGE_EVENTS - page.count,
        Math.max(ROWS_MIN, Math.ceil((maxBytes - bytes) / ROW_BYTES)),
      );
      const slice = readSlice(database, fromHere(block), first, limit, reach);
      if (slice === "first_damaged" && page.count === 0)
        throw new DamagedEvent(log, formatPosition(first.seq, first.sub));
      if (slice === "first_damaged") return; // what stands in front of it goes out first
      parts.push(slice.bytes);
      bytes += slice.bytes.length;
      page.count += slice.count;
      page.last = slice.last;
      if (slice.count < limit || bytes > maxBytes * FULL) return;
      first = readFirst(database, fromHere(block));
    }
  }

  function fromHere(block: number): From {
    const { seq, sub } = placeOf(page.last);
    return [block, key ?? -1, seq, sub];
  }
}

const NOTHING = Buffer.alloc(0);
/** Rows are fetched in about the number that fits: one that is too many is looked at for nothing. */
const ROW_BYTES = 512;
const ROWS_MIN = 32;
/** What more would fit is not worth a statement and a copy of all that is there. */
const FULL = 0.75;

function isThereMore(database: Database, from: From): boolean {
  return database.tuple(`select 1 ${FROM} limit 1`, ...from) !== undefined;
}

function joined(parts: Buffer[]): Buffer {
  const [only] = parts;
  if (parts.length === 1 && only) return only;
  const whole = Buffer.concat(parts.flatMap((part, n) => (n === 0 ? [part] : [COMMA, part])));
  for (const part of parts) releaseOf(part)?.();
  return whole;
}

const COMMA = Buffer.from(",");
