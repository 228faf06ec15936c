import type { ProcessChange } from "../../session/processes.ts";
import { parseProcessCursor, processesPage } from "../process-cursor.ts";
import { processColumns, processRow, type ProcessRecord } from "../process-row.ts";
import type { ProcessFilter, ProcessRow, Rows } from "../store.ts";
import type { Group } from "./append-group.ts";
import { NOW_MS } from "./clock.ts";
import type { Queryable, Transaction, Value } from "./database.ts";
import { bigintArray, textArray } from "./wire.ts";

/** The part of append-statement.ts that writes them. Its end may be told by another session of its lineage. */
export function changedProcesses(next: (type: string) => string): string[] {
  const arrays = ["bigint[]", "text[]", "text[]", "bigint[]", "text[]", "text[]"].map(next);
  const changes = `unnest(${arrays.join(", ")}) as e (n, id, status, started_at, started, ended) join fit on fit.n = e.n`;
  return [
    `processes_started as (
  insert into process (id, session, host, status, started_at, started, ended)
  select e.id, fit.id, session.host, e.status, e.started_at, e.started, e.ended
  from ${changes} join session on session.id = fit.id where e.started is not null
  on conflict do nothing)`,
    `processes_ended as (
  update process set status = c.status, ended = c.ended
  from (select e.id, e.status, e.ended from ${changes} where e.started is null offset 0) as c
  where process.id = c.id and process.status = 'running')`,
  ];
}

export function processValues(groups: readonly Group[]): Value[] {
  const changes = groups
    .flatMap(({ batch }, index) =>
      batch.processes.map((change: ProcessChange) => ({ n: index + 1, ...processColumns(change) })),
    )
    .toSorted((a, b) => (a.id < b.id ? -1 : 1)); // the order of the locks
  return [
    bigintArray(changes.map(({ n }) => n)),
    textArray(changes.map(({ id }) => id)),
    textArray(changes.map(({ status }) => status)),
    bigintArray(changes.map(({ startedAt }) => startedAt)),
    textArray(changes.map(({ started }) => started)),
    textArray(changes.map(({ ended }) => ended)),
  ];
}

export async function readProcess(database: Queryable, id: string): Promise<ProcessRow | undefined> {
  const [record] = await database.query<ProcessRecord>({
    name: "process",
    text: `${PROCESSES} where id = $1`,
    values: [id],
  });
  return record && processRow(record);
}

export async function readProcesses(database: Queryable, filter: ProcessFilter): Promise<Rows<ProcessRow>> {
  const { running, status, sessions, host, limit, after } = filter;
  const values: Value[] = [limit + 1];
  const parameter = (value: Value) => `$${values.push(value)}`;
  const conditions = ["true"];
  if (running !== undefined) conditions.push(`status ${running ? "=" : "<>"} 'running'`);
  if (status !== undefined) conditions.push(`status = ${parameter(status)}`);
  if (host !== undefined) conditions.push(`host = ${parameter(host)}`);
  if (sessions) conditions.push(`session = any(${parameter(textArray(sessions))}::text[])`);
  const cursor = after === undefined ? undefined : parseProcessCursor(after);
  if (cursor)
    conditions.push(`(started_at, id) < (${parameter(cursor.startedAtMs)}::bigint, ${parameter(cursor.id)})`);
  const records = await database.query<ProcessRecord>({
    text: `${PROCESSES} where ${conditions.join(" and ")} order by started_at desc, id desc limit $1`,
    values,
  });
  return processesPage(records.map(processRow), limit);
}

const PROCESSES = "select id, session, host, started, ended from process";

/** Of a session that is gone: nobody will ask for it any more. */
export async function forgetProcess(database: Queryable, id: string): Promise<void> {
  await database.query({
    text: "delete from process where id = $1 and not exists (select from session where session.id = process.session)",
    values: [id],
  });
}

/** When its session goes: the processes that run get their stop, and their rows stay until they have. */
export async function orphanProcesses(transaction: Transaction, session: string): Promise<void> {
  await transaction.query({
    text: "delete from process where session = $1 and status <> 'running'",
    values: [session],
  });
  await transaction.query({
    text: `insert into process_request (id, process, wish, at)
      select 'req_end_' || id, id, '{"do":"stop"}', ${NOW_MS} from process where session = $1 on conflict do nothing`,
    values: [session],
  });
}

/** Its lineage, and whoever works for one of it. Forks are on their own. */
export async function readScope(database: Queryable, session: string): Promise<string[]> {
  const rows = await database.query<{ id: string }>({
    name: "scope",
    text: `with recursive scope (id) as (
        select id from session where id = $1
        union
        select next.id from scope cross join lateral (
          select id from session where successor = scope.id
          union all
          select successor from session where id = scope.id and successor is not null
          union all
          select id from session where origin_session = scope.id and origin_kind in ('delegation', 'task')) as next)
      select id from scope limit ${SCOPE_MAX}`,
    values: [session],
  });
  return rows.map(({ id }) => id);
}

const SCOPE_MAX = 1_000;
