// Deleting takes a session out of sight in one transaction; its events, which may be a million, go afterwards in
// slices, and a start after a crash goes on with them.
import type { Status } from "../../session/row.ts";
import type { Command, Deleted } from "../store.ts";
import { once } from "./command.ts";
import { countRunning, orphanProcesses } from "./process.ts";
import type { Writing } from "./writing.ts";

/** Work is at hand or waits for somebody. */
const LIVE: ReadonlySet<Status> = new Set(["queued", "running", "waiting", "recovering"]);

const SLICE_EVENTS = 500;

export function deleteSession(
  writing: Writing,
  id: string,
  force: boolean,
  now: number,
  command: Command | undefined,
): Deleted {
  return once<Deleted>(writing, command, now, () => takeAway(writing, id, force, now));
}

function takeAway(writing: Writing, id: string, force: boolean, now: number): Deleted {
  const { database, logs } = writing;
  const session = database.get<{ log: number; status: Status }>(
    "select log, status from session where id = ?",
    id,
  );
  if (!session) return { ok: false, code: "not_found" };
  const { log, status } = session;
  const processes = countRunning(writing, id);
  if (!force && (LIVE.has(status) || processes > 0)) return { ok: false, code: "live", status, processes };
  orphanProcesses(writing, id, now);
  database.run("delete from timer where log = ?", id);
  for (const table of ["session", "snapshot", "seen", "drafting", "log_blob", "command", "ask"])
    database.run(`delete from ${table} where log = ?`, log);
  database.run("delete from log where key = ?", log);
  database.run("insert into purge (log) values (?)", log);
  logs.forget(id);
  return { ok: true };
}

/** A slice of what deleted logs have left; false when nothing is. */
export function purge({ database, index }: Writing): boolean {
  const [log] = database.tuple<[number]>("select log from purge where not copying limit 1") ?? [];
  if (log === undefined) return false;
  const [block] =
    database.tuple<[number]>("select block from span where log = ? order by seq, sub limit 1", log) ?? [];
  if (block === undefined) {
    database.run("delete from purge where log = ?", log);
    return true;
  }
  const events = database.tuples<[number]>(
    `select id from event where block = ? and log = ? limit ${SLICE_EVENTS}`,
    block,
    log,
  );
  index.remove(new Set(events.map(([event]) => event)));
  for (const [event] of events) {
    database.run("delete from search where rowid = ?", event);
    database.run("delete from event where id = ?", event);
  }
  if (events.length < SLICE_EVENTS) database.run("delete from span where log = ? and block = ?", log, block);
  return true;
}
