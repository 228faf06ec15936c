// Pages of logs as bytes. The server joins the texts, so that an event costs no row of its own: of 10,000 facts in
// pages of 1 MB this process then has 10 ms of work rather than 13, and in small ones a fifth. Each checksum is still
// held against its text.
import { formatPosition, type Position } from "../../session/position.ts";
import { intactPart } from "../intact-part.ts";
import { placeOf } from "../place.ts";
import { DamagedEvent, PAGE_EVENTS, type LogId, type Page } from "../store.ts";
import type { Queryable, Statement } from "./database.ts";
import { eventsAfter } from "./read-events.ts";
import { bigintArray, textArray } from "./wire.ts";

export type PageWish = { log: LogId; after: Position; maxBytes: number };

/** Of all pages of a statement: the more there are, the smaller is each. */
const STATEMENT_BYTES = 4 * 1024 * 1024;

/** In the order of the wishes. A page that can't be given is the reason why. */
export async function readPages(
  database: Queryable,
  wishes: readonly PageWish[],
): Promise<(Page | DamagedEvent)[]> {
  const shareBytes = Math.ceil(STATEMENT_BYTES / wishes.length);
  const pages = await database.query<Joined>(
    pagesStatement(wishes.map((wish) => ({ ...wish, maxBytes: Math.min(wish.maxBytes, shareBytes) }))),
  );
  return wishes.map((wish, n) => pageOf(wish, pages[n]));
}

function pageOf({ log, after }: PageWish, joined: Joined | undefined): Page | DamagedEvent {
  if (!joined || joined.text === null)
    return { bytes: Buffer.alloc(0), count: 0, last: after, upToDate: true };
  const crcs = joined.crcs.split(",").map(Number);
  const lengths = joined.lengths.split(",").map(Number);
  const { bytes, count, last } = intactPart(Buffer.from(joined.text), crcs, lengths);
  if (count === 0) return new DamagedEvent(log, formatPosition(joined.first_seq, joined.first_sub));
  return { bytes, count, last, upToDate: count === joined.read };
}

/** `read` is how many there were to choose from, up to one more than a page holds. */
type Joined = {
  text: string | null;
  crcs: string;
  lengths: string;
  first_seq: number;
  first_sub: number;
  read: number;
};

/** Hardly an event is smaller, so a small page need not read a thousand of them to find its end. */
const EVENT_MIN_BYTES = 200;

function pagesStatement(wishes: readonly PageWish[]): Statement {
  const places = wishes.map(({ after }) => placeOf(after));
  const events = wishes.map(({ maxBytes }) =>
    Math.min(PAGE_EVENTS, Math.max(1, Math.floor(maxBytes / EVENT_MIN_BYTES))),
  );
  return {
    name: "pages",
    text: `select page.* from unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[])
        with ordinality as wish (log, seq, sub, bytes, events, n)
      cross join lateral (
        with read as materialized (${eventsAfter("seq, sub, crc, text", WISH)}),
        sized as (
          select seq, sub, crc, text, octet_length(text) as length, row_number() over place as n,
            sum(octet_length(text) + 1) over place as bytes
          from read window place as (order by seq, sub))
        select string_agg(text, ',' order by seq, sub) as text,
          string_agg(crc::text, ',' order by seq, sub) as crcs,
          string_agg(length::text, ',' order by seq, sub) as lengths,
          min(seq) as first_seq, min(sub) filter (where n = 1) as first_sub, (select count(*) from read) as read
        from sized where n = 1 or (sized.bytes <= wish.bytes and sized.n < wish.events)) as page
      order by wish.n`,
    values: [
      textArray(wishes.map(({ log }) => log)),
      bigintArray(places.map(({ seq }) => seq)),
      bigintArray(places.map(({ sub }) => sub)),
      bigintArray(wishes.map(({ maxBytes }) => maxBytes)),
      bigintArray(events.map((count) => count + 1)),
    ],
  };
}

const WISH = { log: "wish.log", seq: "wish.seq", sub: "wish.sub", limit: "wish.events" };
