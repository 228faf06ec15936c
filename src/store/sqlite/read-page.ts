// A page of a log as bytes. SQLite itself joins the texts, so that an event costs no object of its own: two thirds of
// the time of fetching row by row. Each checksum is still held against its text.
import { crc32 } from "node:zlib";
import { formatPosition, type Position } from "../../session/position.ts";
import { BODY_AT } from "../event-text.ts";
import { releaseOf } from "../page-memory.ts";
import { placeOf } from "../place.ts";
import { DamagedEvent, PAGE_EVENTS, type LogId, type Page } from "../store.ts";
import type { Database } from "./database.ts";
import { readKey } from "./read-events.ts";
import { blocksAfter } from "./spans.ts";

export function readPage(database: Database, log: LogId, after: Position, maxBytes: number): Page {
  const key = readKey(database, log);
  const page: Page = { bytes: NOTHING, count: 0, last: after, upToDate: true };
  if (key === undefined) return page;
  const parts: Buffer[] = [];
  let bound: number | undefined;
  for (const block of blocksAfter(database, key, placeOf(after))) {
    bound ??= boundOf(database, fromHere(block), maxBytes);
    if (bound === undefined) continue; // all that was in this block has been swept
    readBlock(block, bound);
    page.upToDate = !isThereMore(database, fromHere(block));
    if (!page.upToDate) break;
  }
  page.bytes = joined(parts);
  page.release = releaseOf(page.bytes);
  return page;

  function readBlock(block: number, reach: number): void {
    let bytes = parts.reduce((sum, part) => sum + part.length, 0);
    while (page.count < PAGE_EVENTS) {
      const limit = Math.min(
        PAGE_EVENTS - page.count,
        Math.max(ROWS_MIN, Math.ceil((maxBytes - bytes) / ROW_BYTES)),
      );
      const slice = readSlice(database, fromHere(block), limit, reach);
      if (slice === undefined) return;
      const good = intactPart(slice);
      if (good.count === 0 && page.count === 0)
        throw new DamagedEvent(log, positionAfter(database, fromHere(block)));
      if (good.count > 0) {
        parts.push(good.bytes);
        bytes += good.bytes.length;
        page.count += good.count;
        page.last = good.last;
      }
      if (good.count < limit || bytes > maxBytes * FULL) return;
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

type From = [block: number, log: number, seq: number, sub: number];
const FROM = "from event where block = ?1 and log = ?2 and (seq, sub) > (?3, ?4)";

type Slice = { bytes: Buffer; crcs: number[]; lengths: number[] };

/** Up to where the log may reach for the page to stay within its bytes; its first event is always in. */
function boundOf(database: Database, from: From, maxBytes: number): number | undefined {
  const first = database.tuple<[number]>(`select reach ${FROM} order by seq, sub limit 1`, ...from);
  return first && first[0] + maxBytes;
}

/** A limit that is a bare parameter would have the statement compiled anew each time; a sum is left alone. */
function readSlice(database: Database, from: From, limit: number, bound: number): Slice | undefined {
  const [bytes, crcs, lengths] = database.tuple<[Uint8Array | null, string, string]>(
    `select cast(group_concat(text, ',') as blob), group_concat(crc), group_concat(octet_length(text))
      from (select text, crc, reach ${FROM} order by seq, sub limit ?5 + 0) where reach <= ?6`,
    ...from,
    limit,
    bound,
  ) ?? [null, "", ""];
  if (bytes === null) return undefined;
  return {
    bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
    crcs: JSON.parse(`[${crcs}]`) as number[],
    lengths: JSON.parse(`[${lengths}]`) as number[],
  };
}

/** What stands in front of the first damaged event. */
function intactPart({ bytes, crcs, lengths }: Slice): { bytes: Buffer; count: number; last: Position } {
  let [start, end, count] = [0, 0, 0];
  for (const length of lengths) {
    const next = count === 0 ? 0 : end + 1; // a comma parts them
    if (crc32(bytes.subarray(next + BODY_AT, next + length)) !== crcs[count]) break;
    start = next;
    end = next + length;
    count += 1;
  }
  return { bytes: bytes.subarray(0, end), count, last: positionIn(bytes, start) };
}

/** `{"position":"` is 13 characters, a position 33. */
function positionIn(bytes: Buffer, event: number): Position {
  return bytes.toString("latin1", event + 13, event + 46) as Position; // our own writing
}

function positionAfter(database: Database, from: From): Position {
  const [seq, sub] = database.tuple<[number, number]>(
    `select seq, sub ${FROM} order by seq, sub limit 1`,
    ...from,
  ) ?? [0, 0];
  return formatPosition(seq, sub);
}

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
