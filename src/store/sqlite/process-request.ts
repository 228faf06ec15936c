import { processRequest, type RequestRecord } from "../process-row.ts";
import type { NewProcessRequest, ProcessRequest, Requested } from "../store.ts";
import type { Database } from "./database.ts";
import type { Writing } from "./writing.ts";

/** The same id again is the same wish. */
export function requestProcess({ database }: Writing, request: NewProcessRequest, now: number): Requested {
  const { id, process, wish } = request;
  const asked = readRequest(database, id);
  if (asked) return { ok: true, request: asked };
  const found = database.get<{ status: string }>("select status from process where id = ?", process);
  if (!found) return { ok: false, code: "not_found" };
  if (found.status !== "running") return { ok: false, code: "over" };
  database.run(
    "insert into process_request (id, process, wish, at) values (?, ?, ?, ?)",
    id,
    process,
    JSON.stringify(wish),
    now,
  );
  return { ok: true, request: { id, process, wish, outcome: null } };
}

export function readRequest(database: Database, id: string): ProcessRequest | undefined {
  const record = database.get<RequestRecord>(`${REQUESTS} where id = ?`, id);
  return record && processRequest(record);
}

/** Whether it is worth the writer's time to look: most have an outcome, and are kept for a while. */
export function isRequested(reader: Database): boolean {
  return reader.tuple("select 1 from process_request where outcome is null limit 1") !== undefined;
}

/** Those that nobody has taken, and those that whoever took them has left for too long. */
export function takeRequests(
  { database }: Writing,
  host: string,
  now: number,
  leftAfterMs: number,
  limit: number,
): { request: ProcessRequest; again: boolean }[] {
  const open = database.all<RequestRecord & { taken_at: number | null }>(
    `select process_request.id, process, wish, outcome, taken_at
      from process_request join process on process.id = process_request.process
      where outcome is null and process.host = ? and coalesce(taken_at, 0) not between ? and ?
      order by process_request.at, process_request.id limit ?`,
    host,
    now - leftAfterMs + 1,
    now + leftAfterMs, // what was taken later than that was taken before the clock was set back
    limit,
  );
  for (const { id } of open) database.run("update process_request set taken_at = ? where id = ?", now, id);
  return open.map((record) => ({ request: processRequest(record), again: record.taken_at !== null }));
}

/** Gives the process that it was about, unless that was told before. */
export function finishRequest({ database }: Writing, id: string, outcome: string): string | undefined {
  return database.tuple<[string]>(
    "update process_request set outcome = ? where id = ? and outcome is null returning process",
    outcome,
    id,
  )?.[0];
}

const REQUESTS = "select id, process, wish, outcome from process_request";
