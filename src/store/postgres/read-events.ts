// Reading a log: facts and drafts lie in two tables and are read as the one sequence that they are, in one statement
// and so at one moment.
import type { AnyEvent } from "../../session/event.ts";
import { parsePosition, type Position } from "../../session/position.ts";
import { checkedEvent } from "../event-text.ts";
import { PAGE_EVENTS, type LogHead, type LogId, type Page } from "../store.ts";
import { formatPosition } from "../../session/position.ts";
import type { Queryable, Statement } from "./database.ts";

export async function readHead(database: Queryable, id: LogId): Promise<LogHead | undefined> {
  const [log] = await database.query<Pick<LogHead, "kind" | "closed"> & { seq: number; sub: number }>({
    name: "head",
    text: "select kind, seq, sub, closed from log where id = $1",
    values: [id],
  });
  return log && { id, kind: log.kind, position: formatPosition(log.seq, log.sub), closed: log.closed };
}

export async function readEvents(
  database: Queryable,
  log: LogId,
  after: Position,
  limit: number,
): Promise<AnyEvent[]> {
  const events = await database.query<Stored>({
    name: "events",
    text: `${eventsAfter("seq, sub, crc, text", "$4")} order by seq, sub`,
    values: [log, ...numbersOf(after), limit],
  });
  return events.map(({ seq, sub, text, crc }) => checkedEvent(log, seq, sub, text, crc));
}

export async function readEventsBefore(
  database: Queryable,
  log: LogId,
  before: Position,
  limit: number,
): Promise<AnyEvent[]> {
  const [seq, sub] = numbersOf(before);
  const events = await database.query<Omit<Stored, "sub">>({
    name: "events_before",
    text: "select seq, crc, text from event where log = $1 and seq < $2 order by seq desc limit $3",
    values: [log, sub > 0 ? seq + 1 : seq, limit], // a draft stands behind the fact whose seq it has
  });
  return events.map(({ seq, text, crc }) => checkedEvent(log, seq, 0, text, crc));
}

/** Joined by the server: measured, half the time of as many rows that are joined here. */
export async function readPage(
  database: Queryable,
  log: LogId,
  after: Position,
  maxBytes: number,
): Promise<Page> {
  const [page] = await database.query<{
    text: string | null;
    count: number;
    last: Position | null;
    read: number;
  }>(pageStatement(log, after, maxBytes));
  const { text = null, count = 0, last = null, read = 0 } = page ?? {};
  return { bytes: Buffer.from(text ?? ""), count, last: last ?? after, upToDate: read === count };
}

type Stored = { seq: number; sub: number; crc: number; text: string };

function pageStatement(log: LogId, after: Position, maxBytes: number): Statement {
  return {
    name: "page",
    text: `with read as materialized (${eventsAfter("seq, sub, text", `${PAGE_EVENTS + 1}`)}),
      sized as (
        select seq, sub, text, row_number() over place as n, sum(octet_length(text) + 1) over place as bytes
        from read window place as (order by seq, sub))
      select string_agg(text, ',' order by seq, sub) as text, count(*) as count,
        max(substr(text, 14, 33) collate "C") as last, (select count(*) from read) as read
      from sized where n = 1 or (bytes <= $4 and n <= ${PAGE_EVENTS})`,
    values: [log, ...numbersOf(after), maxBytes],
  };
}

/** $1 is the log, ($2, $3) the position. Each table gives at most what the whole may have. */
function eventsAfter(columns: string, limit: string): string {
  return `select ${columns} from (
    (select log, seq, 0::bigint as sub, crc, text from event where log = $1 and seq > $2 order by seq limit ${limit})
    union all
    (select log, seq, sub, crc, text from draft where log = $1 and (seq, sub) > ($2, $3) order by seq, sub limit ${limit})
    order by seq, sub limit ${limit}) as events`;
}

function numbersOf(position: Position): [seq: number, sub: number] {
  const { seq, sub } = parsePosition(position) ?? { seq: Number.MAX_SAFE_INTEGER, sub: 0 };
  return [seq, sub];
}
