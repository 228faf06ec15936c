import { formatPosition, parsePosition, START, type Position } from "../../session/position.ts";
import { MISSED_MAX } from "../../session/row.ts";
import type { Missed, Store } from "../store.ts";
import { NOW_S } from "./clock.ts";
import type { Context } from "./context.ts";
import type { Database } from "./database.ts";

/** How far a person has read only rises, whichever of their devices is late to say so. */
export async function setSeen(
  { database, changed }: Context,
  person: string,
  session: string,
  position: Position,
): Promise<Awaited<ReturnType<Store["setSeen"]>>> {
  const asked = parsePosition(position);
  const [place] = await database.query<{
    ahead: boolean;
    rev: number | null;
    seq: number | null;
    sub: number | null;
  }>({
    text: `with place as materialized (
        select id, $3::bigint is null or (seq, sub) < ($3, $4::bigint) as ahead
        from log where id = $2 and kind = 'session' for no key update),
      risen as (
        insert into seen (person, session, seq, sub) select $1, id, $3, $4 from place where not ahead
        on conflict (session, person) do update set seq = excluded.seq, sub = excluded.sub
        where (seen.seq, seen.sub) < (excluded.seq, excluded.sub)
        returning session, seq, sub),
      touched as (
        update log set rev = log.rev + 1, touched = ${NOW_S} from risen where log.id = risen.session returning log.rev)
      select ahead, (select rev from touched) as rev, coalesce(risen.seq, seen.seq) as seq, coalesce(risen.sub, seen.sub) as sub
      from place left join risen on true left join seen on seen.session = place.id and seen.person = $1`,
    values: [person, session, asked?.seq ?? null, asked?.sub ?? null],
  });
  if (!place) return { ok: false, code: "not_found" };
  if (place.ahead) return { ok: false, code: "ahead" };
  if (place.rev !== null) changed(session, place.rev);
  return { ok: true, position: formatPosition(place.seq ?? 0, place.sub ?? 0) };
}

export async function readSeen(database: Database, person: string, session: string): Promise<Position> {
  const [seen] = await database.query<{ seq: number; sub: number }>({
    text: "select seq, sub from seen where session = $1 and person = $2",
    values: [session, person],
  });
  return seen ? formatPosition(seen.seq, seen.sub) : START;
}

export async function countMissed(
  database: Database,
  session: string,
  after: Position,
  person: string,
): Promise<Missed> {
  const [missed] = await database.query<Missed>({
    text: `select ${countOf("tally = 'message' and author is distinct from $3")} as messages,
        ${countOf("tally = 'tool'")} as tools,
        coalesce((select approvals + questions from session where id = $1), 0) as asks`,
    values: [session, parsePosition(after)?.seq ?? Number.MAX_SAFE_INTEGER, person],
  });
  return missed ?? { messages: 0, tools: 0, asks: 0 };
}

function countOf(which: string): string {
  return `(select count(*) from (
    select from event where log = $1 and seq > $2 and tally is not null and ${which} limit ${MISSED_MAX}) as counted)`;
}
