// A part of a page: events of one block, joined by SQLite itself, so that an event costs no object of its own. Facts are
// checked all at once: each carries a checksum that goes on from that of the fact before it, so the first and the last say
// what the bytes between them must be. Where that does not fit (drafts are among them, or damage) each is looked at alone.
import { crc32 } from "node:zlib";
import { formatPosition } from "../../session/position.ts";
import { BODY_AT } from "../event-text.ts";
import { intactPart, type IntactPart } from "../intact-part.ts";
import { releaseOf } from "../page-memory.ts";
import type { Database } from "./database.ts";

/** Behind which place, and in which block of which log. */
export type From = [block: number, log: number, seq: number, sub: number];
export const FROM = "from event where block = ?1 and log = ?2 and (seq, sub) > (?3, ?4)";

export type Slice = IntactPart;

const NOTHING = new Uint8Array(); // a total of rows always has a row

/** The first event behind a place. */
export type First = {
  seq: number;
  sub: number;
  reach: number;
  chain: number | null;
  crc: number;
  bytes: number;
};

export function readFirst(database: Database, from: From): First | undefined {
  return database.get<First>(
    `select seq, sub, reach, chain, crc, octet_length(text) as bytes ${FROM} order by seq, sub limit 1`,
    ...from,
  );
}

/** From the first on up to `limit` events, as far as the log's bytes reach no farther than `bound`. */
export function readSlice(
  database: Database,
  from: From,
  first: First,
  limit: number,
  bound: number,
): Slice | "first_damaged" {
  return readChained(database, from, first, limit, bound) ?? readOneByOne(database, from, limit, bound);
}

/** Of the facts up to this one, given that of those before it; without that it begins anew. */
export function chainOf(text: string, before: number | null): number {
  return crc32(`,${text}`, before ?? 0);
}

/** Undefined unless all of them are facts, and as they were written. */
function readChained(
  database: Database,
  from: From,
  { seq, chain, crc, bytes: firstBytes }: First,
  limit: number,
  bound: number,
): Slice | undefined {
  if (chain === null) return undefined;
  // Facts have no gaps, so the place of the last is known. Beside a maximum SQLite gives its row's other columns.
  const [joined, lastSeq, lastChain] = database.tuple<[Uint8Array, number, number | null]>(
    `select cast(group_concat(text, ',') as blob), max(seq), chain ${FROM} and seq <= ?5 and reach <= ?6`,
    ...from,
    seq + limit - 1,
    bound,
  ) ?? [NOTHING, 0, null];
  const bytes = bufferOf(joined);
  const isAsWritten =
    crc32(bytes.subarray(BODY_AT, firstBytes)) === crc &&
    crc32(bytes.subarray(firstBytes), chain) === lastChain;
  if (isAsWritten) return { bytes, count: lastSeq - seq + 1, last: formatPosition(lastSeq, 0) };
  releaseOf(bytes)?.();
  return undefined;
}

/** A limit that is a bare parameter would have the statement compiled anew each time; a sum is left alone. */
function readOneByOne(database: Database, from: From, limit: number, bound: number): Slice | "first_damaged" {
  const [joined, crcs, lengths] = database.tuple<[Uint8Array, string, string]>(
    `select cast(group_concat(text, ',') as blob), group_concat(crc), group_concat(octet_length(text))
      from (select text, crc, reach ${FROM} order by seq, sub limit ?5 + 0) where reach <= ?6`,
    ...from,
    limit,
    bound,
  ) ?? [NOTHING, "", ""];
  const [crcOfEach, bytesOfEach] = [JSON.parse(`[${crcs}]`), JSON.parse(`[${lengths}]`)] as number[][];
  const intact = intactPart(bufferOf(joined), crcOfEach ?? [], bytesOfEach ?? []);
  return intact.count === 0 ? "first_damaged" : intact;
}

function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
