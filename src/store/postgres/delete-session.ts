// A session goes at once, and its events after it, some at a time: a long transaction would hold up whoever appends
// in the same tick, and keep everybody's dead rows from being vacuumed.
import type { Status } from "../../session/row.ts";
import type { Deleted } from "../store.ts";
import { NOW_S } from "./clock.ts";
import type { Context } from "./context.ts";
import type { Database } from "./database.ts";

/** Work is at hand or waits for somebody. */
const LIVE: ReadonlySet<Status> = new Set(["queued", "running", "waiting", "recovering"]);

/** Blobs stay until `tidy` finds that nobody refers to them. */
const TABLES = [
  ["snapshot", "log"],
  ["seen", "session"],
  ["timer", "log"],
  ["log_blob", "log"],
  ["command", "log"],
  ["session", "id"],
  ["log", "id"],
] as const;

const SLICE_FACTS = 5_000;

export async function deleteSession(
  { database, changed }: Context,
  id: string,
  { force }: { force: boolean },
): Promise<Deleted> {
  const deleted = await database.transaction(async (transaction): Promise<Deleted> => {
    const [session] = await transaction.query<{ status: Status }>({
      text: "select session.status from log join session on session.id = log.id where log.id = $1 for update of log",
      values: [id],
    });
    if (!session) return { ok: false, code: "not_found" };
    if (!force && LIVE.has(session.status)) return { ok: false, code: "live", status: session.status };
    for (const [table, column] of TABLES)
      await transaction.query({ text: `delete from ${table} where ${column} = $1`, values: [id] });
    await transaction.query({ text: "insert into purge (log) values ($1)", values: [id] });
    await transaction.query({ text: `insert into gone (id, touched) values ($1, ${NOW_S})`, values: [id] });
    return { ok: true };
  });
  if (!deleted.ok) return deleted;
  changed(id, 0); // there is no row any more; `gone` tells the others
  await purge(database, id).catch(() => {}); // the session is gone all the same; `tidy` goes on with the rest
  return deleted;
}

/** Until it is through, the log's id is not free. */
export async function purge(database: Database, log: string): Promise<void> {
  // First those that are on their way into the index.
  for (const table of ["draft", "search_new", "search"])
    await database.query({ text: `delete from ${table} where log = $1`, values: [log] });
  for (let left = true; left;) {
    const deleted = await database.query({
      text: `delete from event where log = $1
        and seq < (select min(seq) from event where log = $1) + ${SLICE_FACTS} returning 1`,
      values: [log],
    });
    left = deleted.length > 0;
  }
  await database.query({ text: "delete from purge where log = $1", values: [log] });
}
