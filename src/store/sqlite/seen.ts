import { formatPosition, START, type Position } from "../../session/position.ts";
import { MISSED_MAX } from "../../session/row.ts";
import { placeOf } from "../place.ts";
import type { Missed, Store } from "../store.ts";
import type { Database } from "./database.ts";
import { readKey } from "./read-events.ts";
import type { Writing } from "./writing.ts";

type Set = Awaited<ReturnType<Store["setSeen"]>>;

/** How far a person has read only rises, whichever of their devices is late to say so. `rose` says whether it did. */
export function setSeen(
  { database, logs }: Writing,
  person: string,
  session: string,
  position: Position,
): { set: Set; rose: boolean } {
  const log = logs.find(session);
  if (!log || log.kind !== "session") return { set: { ok: false, code: "not_found" }, rose: false };
  const { seq, sub } = placeOf(position);
  if (seq > log.seq || (seq === log.seq && sub > log.sub))
    return { set: { ok: false, code: "ahead" }, rose: false };
  const risen = database.changes(
    `insert into seen (log, person, seq, sub) values (?, ?, ?, ?)
      on conflict do update set seq = excluded.seq, sub = excluded.sub where (seq, sub) < (excluded.seq, excluded.sub)`,
    log.key,
    person,
    seq,
    sub,
  );
  return { set: { ok: true, position: seenBy(database, log.key, person) }, rose: risen > 0 };
}

export function readSeen(database: Database, person: string, session: string): Position {
  const key = readKey(database, session);
  return key === undefined ? START : seenBy(database, key, person);
}

export function countMissed(database: Database, session: string, after: Position, person: string): Missed {
  const missed = database.get<Missed>(
    `select ${countOf("event.tally = 'message' and event.author is not ?3")} as messages,
        ${countOf("event.tally = 'tool'")} as tools,
        (select approvals + questions from session where log = ?1) as asks`,
    readKey(database, session) ?? -1,
    placeOf(after).seq,
    person,
  );
  return { messages: missed?.messages ?? 0, tools: missed?.tools ?? 0, asks: missed?.asks ?? 0 };
}

function countOf(which: string): string {
  return `(select count(*) from (
    select 1 from span cross join event on event.block = span.block and event.log = span.log
    where span.log = ?1 and span.seq >= coalesce((select max(seq) from span where log = ?1 and seq <= ?2), 0)
      and event.seq > ?2 and ${which} limit ${MISSED_MAX}))`;
}

function seenBy(database: Database, log: number, person: string): Position {
  const seen = database.tuple<[number, number]>(
    "select seq, sub from seen where log = ? and person = ?",
    log,
    person,
  );
  return seen ? formatPosition(...seen) : START;
}
