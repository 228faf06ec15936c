import type { ProcessChange } from "../../session/processes.ts";
import { parseProcessCursor, processesPage } from "../process-cursor.ts";
import { processColumns, processRow, type ProcessRecord } from "../process-row.ts";
import type { ProcessFilter, ProcessRow, Rows } from "../store.ts";
import type { Database, Value } from "./database.ts";
import type { LogState } from "./logs.ts";
import type { Writing } from "./writing.ts";

/** In the transaction of the events that it follows from. Its end may be told by another session of its lineage. */
export function changeProcess({ database }: Writing, { id: session }: LogState, change: ProcessChange): void {
  const { id, status, startedAt, started, ended } = processColumns(change);
  if (started !== null)
    database.run(
      `insert or ignore into process (id, session, host, status, started_at, started, ended)
        values (?1, ?2, (select host from session where id = ?2), ?3, ?4, ?5, ?6)`,
      id,
      session,
      status,
      startedAt,
      started,
      ended,
    );
  else
    database.run(
      "update process set status = ?, ended = ? where id = ? and status = 'running'",
      status,
      ended,
      id,
    );
}

export function readProcess(database: Database, id: string): ProcessRow | undefined {
  const record = database.get<ProcessRecord>(`${PROCESSES} where id = ?`, id);
  return record && processRow(record);
}

export function readProcesses(database: Database, filter: ProcessFilter): Rows<ProcessRow> {
  const { running, status, sessions, host, limit, after } = filter;
  const values: Value[] = [limit + 1];
  const parameter = (value: Value) => `?${values.push(value)}`;
  const conditions: string[] = [];
  if (running !== undefined) conditions.push(`status ${running ? "=" : "<>"} 'running'`);
  if (status !== undefined) conditions.push(`status = ${parameter(status)}`);
  if (host !== undefined) conditions.push(`host = ${parameter(host)}`);
  if (sessions)
    conditions.push(`session in (select value from json_each(${parameter(JSON.stringify(sessions))}))`);
  const cursor = after === undefined ? undefined : parseProcessCursor(after);
  if (cursor)
    conditions.push(`(started_at, id) < (${parameter(cursor.startedAtMs)}, ${parameter(cursor.id)})`);
  const where = conditions.length > 0 ? `where ${conditions.join(" and ")}` : "";
  const records = database.all<ProcessRecord>(
    `${PROCESSES} ${where} order by started_at desc, id desc limit ?1`,
    ...values,
  );
  return processesPage(records.map(processRow), limit);
}

const PROCESSES = "select id, session, host, started, ended from process";

/** Of a session that is gone: nobody will ask for it any more. */
export function forgetProcess({ database }: Writing, id: string): void {
  database.run(
    "delete from process where id = ? and not exists (select 1 from session where session.id = process.session)",
    id,
  );
}

/** When its session goes: the processes that run get their stop, and their rows stay until they have. */
export function orphanProcesses({ database }: Writing, session: string, now: number): void {
  database.run("delete from process where session = ? and status <> 'running'", session);
  database.run(
    `insert or ignore into process_request (id, process, wish, at)
      select 'req_end_' || id, id, '{"do":"stop"}', ? from process where session = ?`,
    now,
    session,
  );
}

/** Its lineage, and whoever works for one of it. Forks are on their own. */
export function readScope(database: Database, session: string): string[] {
  return database
    .tuples<[string]>(
      `with recursive scope (id) as (
        select id from session where lineage = (select lineage from session where id = ?)
        union
        select child.id from scope join session child
          on child.origin_session = scope.id and child.origin_kind in ('delegation', 'task')
        union
        select follower.id from scope join session own on own.id = scope.id
          join session follower on follower.lineage = own.lineage)
      select id from scope limit ${SCOPE_MAX}`,
      session,
    )
    .map(([id]) => id);
}

const SCOPE_MAX = 1_000;
