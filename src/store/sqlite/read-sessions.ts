// The session list, and single rows of it: what facts made of each session, and what a person has not seen of it yet.
import { parsePosition, type Position } from "../../session/position.ts";
import { idRange } from "../id-range.ts";
import { listCursorAfter, parseListCursor } from "../list-cursor.ts";
import { sessionRow, type SessionRecord } from "../session-row.ts";
import { UNREAD_MAX, type Rows, type SessionFilter, type SessionRow } from "../store.ts";
import { searchWords } from "../words.ts";
import type { Database, Value } from "./database.ts";

export function readSession(database: Database, id: string, person: string): SessionRow | undefined {
  const stored = database.get<Stored>(rowsOf("session", "where session.id = ?2"), person, id);
  return stored && rowOf(stored);
}

/** In the order asked for, without those that are not there. */
export function readSessionsById(database: Database, ids: readonly string[], person: string): SessionRow[] {
  return ids.flatMap((id) => readSession(database, id, person) ?? []);
}

export function readSessions(database: Database, filter: SessionFilter, person: string): Rows<SessionRow> {
  const values: Value[] = [person, filter.limit + 1];
  const conditions = conditionsOf(filter, (value) => `?${values.push(value)}`);
  const where = conditions.length > 0 ? `where ${conditions.join(" and ")}` : "";
  const order = "order by session.pinned desc, session.updated_at desc, session.id desc";
  // First which, then what about them: counting is only for the rows that are shown.
  const page = `(select * from session ${where} ${order} limit ?2) as session`;
  const stored = database.all<Stored>(rowsOf(page, order), ...values);
  const items = stored.slice(0, filter.limit).map(rowOf);
  const last = items.at(-1);
  return { items, next: last && stored.length > items.length ? listCursorAfter(last) : null };
}

function conditionsOf(filter: SessionFilter, parameter: (value: Value) => string): string[] {
  const conditions: string[] = [];
  const { id, status, lane, profile, archived, q = "", after } = filter;
  const { heads = id === undefined && status !== "ended" } = filter;
  if (heads) conditions.push("session.listed = 1");
  if (id !== undefined) {
    const { from, to } = idRange(id);
    conditions.push(`session.id >= ${parameter(from)} and session.id < ${parameter(to)}`);
  }
  if (status !== undefined) conditions.push(`session.status = ${parameter(status)}`);
  if (lane !== undefined) conditions.push(`session.lane = ${parameter(lane)}`);
  if (profile !== undefined) conditions.push(`session.profile = ${parameter(profile)}`);
  if (archived !== undefined) conditions.push(`session.archived = ${parameter(archived ? 1 : 0)}`);
  const asked = searchWords(q);
  if (asked.length === 0 && q.trim() !== "") conditions.push("false"); // signs alone are in no title's words
  for (const word of asked)
    conditions.push(`instr(title_words(session.title), ${parameter(` ${word}`)}) > 0`);
  const cursor = after === undefined ? undefined : parseListCursor(after);
  if (cursor) {
    const place = [Number(cursor.pinned), cursor.updatedAtMs, cursor.id].map(parameter).join(", ");
    conditions.push(`(session.pinned, session.updated_at, session.id) < (${place})`);
  }
  return conditions;
}

type Stored = Omit<SessionRecord, "seq" | "sub"> & { position: Position | null };

function rowOf({ position, ...record }: Stored): SessionRow {
  return sessionRow({ ...record, ...(parsePosition(position ?? "") ?? { seq: 0, sub: 0 }) });
}

/** What the delegates of a session wait for is put to whoever looks at the session itself. */
const askedBelow = (kind: string) => `(with recursive below (id, asked, depth) as (
      select child.id, child.${kind}, 1 from session child
      where child.origin_session = session.id and child.origin_kind = 'delegation'
      union all
      select child.id, child.${kind}, depth + 1 from below join session child
        on child.origin_session = below.id and child.origin_kind = 'delegation'
      where depth < ${DEPTH_MAX})
    select sum(asked) from below)`;
/** As deep as delegates may be nested. */
const DEPTH_MAX = 3;

const COLUMNS = `session.id, session.title, session.profile, session.workspace, session.lane, session.model,
    session.status, session.failed, session.messages, session.queued,
    session.approvals + coalesce(${askedBelow("approvals")}, 0) as approvals,
    session.questions + coalesce(${askedBelow("questions")}, 0) as questions,
    (select count(*) from process where process.session = session.id and process.status = 'running') as processes,
    session.retry_at, session.input_tokens, session.output_tokens, session.cost, session.unpriced_tokens,
    session.pinned, session.archived,
    session.origin_kind, session.origin_session, session.origin_at, session.created_at, session.updated_at`;

// Facts stand at sub 0, so those after the seen position are those of a higher seq; they begin in the last span that
// begins at or before it.
function rowsOf(sessions: string, rest: string): string {
  return `select ${COLUMNS},
    (select format('%016d_%016d', seq, sub) from event
      where log = session.log
        and block = (select block from span where log = session.log order by seq desc, sub desc limit 1)
      order by seq desc, sub desc limit 1) as position,
    case when session.successor is null then session.id else coalesce((
      select head.id from session head where head.lineage = session.lineage and head.successor is null
      order by head.id desc limit 1), session.id) end as head,
    (select count(*) from (
      select 1 from span cross join event on event.block = span.block and event.log = span.log
      where span.log = session.log
        and span.seq >= coalesce((select max(seq) from span where log = session.log and seq <= seen.seq), 0)
        and event.tally = 'message' and event.seq > coalesce(seen.seq, 0) and event.author is not ?1
      limit ${UNREAD_MAX})) as unread
  from ${sessions} left join seen on seen.log = session.log and seen.person = ?1 ${rest}`;
}
