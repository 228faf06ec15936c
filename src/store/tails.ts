// The newest events of logs that someone follows, kept as this node wrote them: whoever stands at the tail, as most
// readers do, gets them without a read. (SQLite drops the pages that a reader has cached after every commit, so reading
// back a single event takes 0.1 ms of the main thread, for each piece of text that an agent says; PostgreSQL is a round
// trip away.)
import { formatPosition, seqOf, subOf, type Position } from "../session/position.ts";
import type { Batch } from "./batch.ts";
import { eventText } from "./event-text.ts";
import type { LogId, Page } from "./store.ts";

const LOGS_MAX = 1_024;
const PIECES_MAX = 256;
const TAIL_BYTES_MAX = 64 * 1024;
/** Of all together. The more logs there are, the shorter is each one's tail: half of this is for those at work. */
const BYTES_MAX = 8 * 1024 * 1024;

/** What one append brought. */
type Piece = { bytes: Buffer; count: number; last: Position };
type Tail = { pieces: Piece[]; bytes: number };

export class Tails {
  /** Those written last come last. In each, a piece follows directly on the one before it. */
  #tails = new Map<LogId, Tail>();
  #bytes = 0;

  /** Of every append to a log that is followed, in order: what is left out would be a gap. */
  add(log: LogId, batch: Batch, last: Position): void {
    const known = this.#tails.get(log);
    const before = known?.pieces.at(-1)?.last;
    this.forget(log);
    const follows = before !== undefined && isNext(batch, last, before);
    const texts = textsOf(batch, last, follows ? before : undefined);
    if (!texts) return;
    const tail: Tail = known && follows ? known : { pieces: [], bytes: 0 };
    const piece = { bytes: Buffer.from(texts.join(",")), count: texts.length, last };
    tail.pieces.push(piece);
    tail.bytes += piece.bytes.length;
    const bytesMax = Math.min(TAIL_BYTES_MAX, BYTES_MAX / 2 / (this.#tails.size + 1));
    while (tail.pieces.length > PIECES_MAX || tail.bytes > bytesMax)
      tail.bytes -= tail.pieces.shift()?.bytes.length ?? 0;
    this.#tails.set(log, tail);
    this.#bytes += tail.bytes;
    if (this.#tails.size > LOGS_MAX || this.#bytes > BYTES_MAX)
      for (const oldest of this.#tails.keys().take(1)) this.forget(oldest);
  }

  forget(log: LogId): void {
    this.#bytes -= this.#tails.get(log)?.bytes ?? 0;
    this.#tails.delete(log);
  }

  /** Undefined when the database has to be asked. */
  page(log: LogId, after: Position, maxBytes: number): Page | undefined {
    const pieces = this.#tails.get(log)?.pieces ?? [];
    const from = pieces.findLastIndex(({ last }) => last === after) + 1;
    if (from === 0 || from === pieces.length) return undefined;
    let to = from;
    for (let bytes = 0; to < pieces.length && (to === from || bytes <= maxBytes); to++)
      bytes += pieces[to]?.bytes.length ?? 0;
    const given = pieces.slice(from, to);
    return {
      bytes: joined(given.map(({ bytes }) => bytes)),
      count: given.reduce((sum, { count }) => sum + count, 0),
      last: given.at(-1)?.last ?? after,
      upToDate: to === pieces.length,
    };
  }
}

function isNext({ facts, drafts }: Batch, last: Position, before: Position): boolean {
  return seqOf(before) === seqOf(last) - facts && (facts > 0 || subOf(before) === subOf(last) - drafts);
}

/**
 * As the writer wrote them: where the last one stands tells where the others do, but for drafts in front of the first
 * fact, which stand where the log ended `before`. Undefined when that is not known.
 */
function textsOf({ entries, facts, drafts }: Batch, last: Position, before?: Position): string[] | undefined {
  const seq = seqOf(last);
  const firstSub = facts === 0 ? subOf(last) - drafts : before && subOf(before);
  if (firstSub === undefined && entries[0]?.facts === 0) return undefined;
  return entries.map((entry) => {
    const place = entry.facts === 0 ? (firstSub ?? 0) + entry.drafts : entry.drafts;
    return eventText(formatPosition(seq - facts + entry.facts, place), entry.body);
  });
}

function joined(parts: Buffer[]): Buffer {
  const [only] = parts;
  return parts.length === 1 && only
    ? only
    : Buffer.concat(parts.flatMap((part, n) => (n === 0 ? [part] : [COMMA, part])));
}

const COMMA = Buffer.from(",");
