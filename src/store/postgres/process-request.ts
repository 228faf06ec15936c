import { processRequest, type RequestRecord } from "../process-row.ts";
import type { NewProcessRequest, ProcessRequest, Requested } from "../store.ts";
import type { Database, Queryable } from "./database.ts";

/** The same id again is the same wish. */
export async function requestProcess(
  database: Database,
  { id, process, wish }: NewProcessRequest,
  now: number,
): Promise<Requested> {
  await database.query({
    name: "request_process",
    text: `insert into process_request (id, process, wish, at)
      select $1, process.id, $3, $4 from process where process.id = $2 and process.status = 'running'
      on conflict do nothing`,
    values: [id, process, JSON.stringify(wish), now],
  });
  const request = await readRequest(database, id);
  if (request) return { ok: true, request };
  const [found] = await database.query({ text: "select from process where id = $1", values: [process] });
  return { ok: false, code: found ? "over" : "not_found" };
}

export async function readRequest(database: Queryable, id: string): Promise<ProcessRequest | undefined> {
  const [record] = await database.query<RequestRecord>({
    name: "process_request",
    text: "select id, process, wish, outcome from process_request where id = $1",
    values: [id],
  });
  return record && processRequest(record);
}

/** Those that nobody has taken, and those that whoever took them has left for too long. */
export async function takeRequests(
  database: Queryable,
  host: string,
  now: number,
  leftAfterMs: number,
  limit: number,
): Promise<{ request: ProcessRequest; again: boolean }[]> {
  const taken = await database.query<RequestRecord & { again: boolean }>({
    name: "take_requests",
    text: `with open as (
        select process_request.id, taken_at is not null as again
        from process_request join process on process.id = process_request.process
        where outcome is null and process.host = $1 and coalesce(taken_at, 0) not between $2 and $5
        order by process_request.at, process_request.id limit $3
        for update of process_request skip locked)
      update process_request set taken_at = $4 from open where process_request.id = open.id
      returning process_request.id, process, wish, outcome, open.again`,
    // What was taken later than that was taken before the clock was set back.
    values: [host, now - leftAfterMs + 1, limit, now, now + leftAfterMs],
  });
  return taken.map((record) => ({ request: processRequest(record), again: record.again }));
}

/** Gives the process that it was about, unless that was told before. */
export async function finishRequest(
  database: Queryable,
  id: string,
  outcome: string,
): Promise<string | undefined> {
  const [row] = await database.query<{ process: string }>({
    text: "update process_request set outcome = $2 where id = $1 and outcome is null returning process",
    values: [id, outcome],
  });
  return row?.process;
}
