// The session list, and single rows of it: what facts made of each session, and what a person has not seen of it yet.
import { idRange } from "../id-range.ts";
import { parseListCursor, listCursorAfter } from "../list-cursor.ts";
import { sessionRow, type SessionRecord } from "../session-row.ts";
import { UNREAD_MAX, type Rows, type SessionFilter, type SessionRow } from "../store.ts";
import { searchWords } from "../words.ts";
import type { Queryable, Value } from "./database.ts";
import { HOUR_MS, IS_LISTED, STATUS } from "./session-status.ts";
import { textArray } from "./wire.ts";

export async function readSession(
  database: Queryable,
  id: string,
  person: string,
): Promise<SessionRow | undefined> {
  const [record] = await database.query<SessionRecord>({
    name: "session",
    text: rowsFor("$2", "session", "where session.id = $1"),
    values: [id, person],
  });
  return record && sessionRow(record);
}

/** In the order asked for, without those that are not there. */
export async function readSessionsById(
  database: Queryable,
  ids: readonly string[],
  person: string,
): Promise<SessionRow[]> {
  const records = await database.query<SessionRecord>({
    name: "sessions_by_id",
    text: rowsFor(
      "$2",
      "session join unnest($1::text[]) with ordinality as asked (id, n) on asked.id = session.id",
      "order by asked.n",
    ),
    values: [textArray(ids), person],
  });
  return records.map(sessionRow);
}

export async function readSessions(
  database: Queryable,
  filter: SessionFilter,
  person: string,
): Promise<Rows<SessionRow>> {
  const values: Value[] = [person, filter.limit + 1];
  const conditions = conditionsOf(filter, (value) => `$${values.push(value)}`);
  const records = await database.query<SessionRecord>({
    // Only what is shown is looked at more closely.
    text: rowsFor(
      "$1",
      `(select * from session where ${["true", ...conditions].join(" and ")} order by ${LIST_ORDER} limit $2) as session`,
      `order by ${LIST_ORDER}`,
    ),
    values,
  });
  const items = records.slice(0, filter.limit).map(sessionRow);
  const last = items.at(-1);
  return { items, next: last && records.length > items.length ? listCursorAfter(last) : null };
}

function conditionsOf(filter: SessionFilter, parameter: (value: Value) => string): string[] {
  const conditions: string[] = [];
  const { id, status, lane, profile, archived, q = "", after } = filter;
  const { heads = id === undefined && status !== "ended" } = filter;
  if (id !== undefined) {
    const { from, to } = idRange(id);
    conditions.push(`session.id >= ${parameter(from)} and session.id < ${parameter(to)}`);
  }
  if (status !== undefined) conditions.push(`${STATUS} = ${parameter(status)}`);
  if (lane !== undefined) conditions.push(`session.lane = ${parameter(lane)}`);
  if (profile !== undefined) conditions.push(`session.profile = ${parameter(profile)}`);
  if (archived !== undefined) conditions.push(`session.archived = ${parameter(archived)}`);
  const asked = searchWords(q);
  if (asked.length === 0 && q.trim() !== "") conditions.push("false"); // signs alone are in no title's words
  for (const word of asked)
    conditions.push(`session.title_words like ${parameter(`% ${word.replaceAll("_", "\\_")}%`)}`);
  if (heads) conditions.push(IS_LISTED);
  const cursor = after === undefined ? undefined : parseListCursor(after);
  if (cursor) {
    const [pinned, updatedAt, id] = [cursor.pinned, cursor.updatedAtMs, cursor.id].map(parameter);
    // Spelled out, since the planner would judge a comparison of rows by `pinned` alone.
    conditions.push(
      `(session.pinned < ${pinned} or
        (session.pinned = ${pinned} and (session.updated_at, session.id) < (${updatedAt}, ${id})))`,
    );
    // Follows from it, and is what the index can use.
    conditions.push(
      `(session.pinned, session.updated_hour) <= (${pinned}, ${updatedAt}::bigint / ${HOUR_MS})`,
    );
  }
  return conditions;
}

const LIST_ORDER = "session.pinned desc, session.updated_hour desc, session.updated_at desc, session.id desc";

/** Longer than any lineage that a daily reset makes in a life. */
const LINEAGE_MAX = 50_000;

/** What the delegates of a session wait for is put to whoever looks at the session itself. */
const askedBelow = (kind: string) => `(with recursive below (id, asked, depth) as (
      select child.id, child.${kind}, 1 from session child
      where child.origin_session = session.id and child.origin_kind = 'delegation'
      union all
      select child.id, child.${kind}, depth + 1 from below join session child
        on child.origin_session = below.id and child.origin_kind = 'delegation'
      where depth < ${DEPTH_MAX})
    select sum(asked)::bigint from below)`;
/** As deep as delegates may be nested. */
const DEPTH_MAX = 3;

const COLUMNS = `session.id, session.title, session.profile, session.workspace, session.lane, session.model,
    ${STATUS} as status, session.failed, session.messages, session.queued,
    session.approvals + coalesce(${askedBelow("approvals")}, 0) as approvals,
    session.questions + coalesce(${askedBelow("questions")}, 0) as questions,
    (select count(*) from process where process.session = session.id and process.status = 'running') as processes,
    session.retry_at, session.input_tokens, session.output_tokens, session.cost, session.unpriced_tokens,
    session.pinned, session.archived,
    session.origin_kind, session.origin_session, session.origin_at, session.created_at, session.updated_at`;

/** Facts stand at sub 0, so those after the seen position are those of a higher seq. */
function rowsFor(person: string, sessions: string, rest: string): string {
  return `select ${COLUMNS}, log.seq, log.sub,
    case when session.successor is null then session.id else coalesce((
      with recursive line (id, successor, step) as (
        select next.id, next.successor, 1 from session next where next.id = session.successor
        union all
        select next.id, next.successor, step + 1 from line join session next on next.id = line.successor
        where step < ${LINEAGE_MAX})
      select id from line where successor is null), session.id) end as head,
    (select count(*) from (
      select from event
      where event.log = session.id and event.seq > coalesce(seen.seq, 0)
        and event.tally = 'message' and event.author is distinct from ${person}
      limit ${UNREAD_MAX}) as others) as unread
    from ${sessions}
    join log on log.id = session.id
    left join seen on seen.session = session.id and seen.person = ${person}
    ${rest}`;
}
