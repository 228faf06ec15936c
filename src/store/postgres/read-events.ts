// Reading a log: facts and drafts lie in two tables and are read as the one sequence that they are, in one statement
// and so at one moment.
import type { AnyEvent } from "../../session/event.ts";
import { formatPosition, parsePosition, type Position } from "../../session/position.ts";
import { checkedEvent } from "../event-text.ts";
import type { LogHead, LogId } from "../store.ts";
import type { Queryable } from "./database.ts";

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
  only?: "facts",
): Promise<AnyEvent[]> {
  const [seq, sub] = numbersOf(after);
  const events = await database.query<Stored>(
    only === "facts"
      ? {
          name: "facts",
          text: "select seq, 0 as sub, crc, text from event where log = $1 and seq > $2 order by seq limit $3",
          values: [log, seq, limit],
        }
      : {
          name: "events",
          text: `${eventsAfter("seq, sub, crc, text", "$4")} order by seq, sub`,
          values: [log, seq, sub, limit],
        },
  );
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

type Stored = { seq: number; sub: number; crc: number; text: string };

/** $1 is the log, ($2, $3) the position. Each table gives at most what the whole may have. */
export function eventsAfter(columns: string, limit: string): string {
  return `select ${columns} from (
    (select log, seq, 0::bigint as sub, crc, text from event where log = $1 and seq > $2 order by seq limit ${limit})
    union all
    (select log, seq, sub, crc, text from draft where log = $1 and (seq, sub) > ($2, $3) order by seq, sub limit ${limit})
    order by seq, sub limit ${limit}) as events`;
}

export function numbersOf(position: Position): [seq: number, sub: number] {
  const { seq, sub } = parsePosition(position) ?? { seq: Number.MAX_SAFE_INTEGER, sub: 0 };
  return [seq, sub];
}
