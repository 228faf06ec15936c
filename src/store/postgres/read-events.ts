// Reading a log: facts and drafts lie in two tables and are read as the one sequence that they are, in one statement
// and so at one moment.
import type { AnyEvent } from "../../session/event.ts";
import { formatPosition, type Position } from "../../session/position.ts";
import { checkedEvent } from "../event-text.ts";
import { placeOf } from "../place.ts";
import { DamagedEvent, type LogHead, type LogId } from "../store.ts";
import type { Queryable } from "./database.ts";
import { bigintArray, textArray } from "./wire.ts";

export async function readHead(database: Queryable, id: LogId): Promise<LogHead | undefined> {
  const [head] = await readHeads(database, [id]);
  return head;
}

/** In the order of the ids. */
export async function readHeads(
  database: Queryable,
  ids: readonly LogId[],
): Promise<(LogHead | undefined)[]> {
  const logs = await database.query<Omit<LogHead, "position"> & { seq: number; sub: number }>({
    name: "heads",
    text: "select id, kind, seq, sub, closed from log where id = any($1::text[])",
    values: [textArray(ids)],
  });
  const heads = new Map(
    logs.map(({ seq, sub, ...log }) => [log.id, { ...log, position: formatPosition(seq, sub) }]),
  );
  return ids.map((id) => heads.get(id));
}

export async function readEvents(
  database: Queryable,
  log: LogId,
  after: Position,
  limit: number,
): Promise<AnyEvent[]> {
  const { seq, sub } = placeOf(after);
  const from = { log: "$1", seq: "$2", sub: "$3", limit: "$4" };
  const events = await database.query<Stored>({
    name: "events",
    text: `${eventsAfter("seq, sub, crc, text", from)} order by seq, sub`,
    values: [log, seq, sub, limit],
  });
  return events.map((event) => checkedEvent(log, event.seq, event.sub, event.text, event.crc));
}

export type FactsWish = { log: LogId; after: Position; limit: number };

/** In the order of the wishes. What can't be given is the reason why. */
export async function readFacts(
  database: Queryable,
  wishes: readonly FactsWish[],
): Promise<(AnyEvent[] | DamagedEvent)[]> {
  const facts = await database.query<Omit<Stored, "sub"> & { n: number }>({
    name: "facts",
    text: `select wish.n, fact.* from unnest($1::text[], $2::bigint[], $3::bigint[])
        with ordinality as wish (log, seq, most, n)
      cross join lateral (
        select seq, crc, text from event
        where event.log = wish.log and event.seq > wish.seq order by seq limit wish.most) as fact
      order by wish.n, fact.seq`,
    values: [
      textArray(wishes.map(({ log }) => log)),
      bigintArray(wishes.map(({ after }) => placeOf(after).seq)),
      bigintArray(wishes.map(({ limit }) => limit)),
    ],
  });
  const ofWish = Map.groupBy(facts, ({ n }) => n - 1);
  return wishes.map(({ log }, n) => checkedFacts(log, ofWish.get(n) ?? []));
}

function checkedFacts(log: LogId, facts: readonly Omit<Stored, "sub">[]): AnyEvent[] | DamagedEvent {
  try {
    return facts.map(({ seq, text, crc }) => checkedEvent(log, seq, 0, text, crc));
  } catch (error) {
    if (error instanceof DamagedEvent) return error; // the others' facts are none of its business
    throw error;
  }
}

export async function readEventsBefore(
  database: Queryable,
  log: LogId,
  before: Position,
  limit: number,
): Promise<AnyEvent[]> {
  const { seq, sub } = placeOf(before);
  const events = await database.query<Omit<Stored, "sub">>({
    name: "events_before",
    text: "select seq, crc, text from event where log = $1 and seq < $2 order by seq desc limit $3",
    values: [log, sub > 0 ? seq + 1 : seq, limit], // a draft stands behind the fact whose seq it has
  });
  return events.map(({ seq, text, crc }) => checkedEvent(log, seq, 0, text, crc));
}

export async function readDrafts(
  database: Queryable,
  log: LogId,
  after: Position,
  before: Position,
  limit: number,
): Promise<AnyEvent[]> {
  const [from, to] = [placeOf(after), placeOf(before)];
  const drafts = await database.query<Stored>({
    name: "drafts",
    text: `select seq, sub, crc, text from draft
      where log = $1 and (seq, sub) > ($2, $3) and (seq, sub) < ($4, $5) order by seq, sub limit $6`,
    values: [log, from.seq, from.sub, to.seq, to.sub, limit],
  });
  return drafts.map(({ seq, sub, text, crc }) => checkedEvent(log, seq, sub, text, crc));
}

type Stored = { seq: number; sub: number; crc: number; text: string };

/** In SQL: the log, the position, and how many at most. */
export type From = Record<"log" | "seq" | "sub" | "limit", string>;

/** Each table gives at most what the whole may have. */
export function eventsAfter(columns: string, { log, seq, sub, limit }: From): string {
  return `select ${columns} from (
    (select log, seq, 0::bigint as sub, crc, text from event
      where event.log = ${log} and event.seq > ${seq} order by event.seq limit ${limit})
    union all
    (select log, seq, sub, crc, text from draft
      where draft.log = ${log} and (draft.seq, draft.sub) > (${seq}, ${sub}) order by draft.seq, draft.sub limit ${limit})
    order by seq, sub limit ${limit}) as events`;
}
