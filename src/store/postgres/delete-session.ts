// A session goes at once, and its events after it, some at a time: a long transaction would hold up whoever appends
// in the same tick, and keep everybody's dead rows from being vacuumed.
import type { Status } from "../../session/row.ts";
import type { Command, Deleted } from "../store.ts";
import { NOW_S } from "./clock.ts";
import { once } from "./command.ts";
import type { Context } from "./context.ts";
import { orphanProcesses } from "./process.ts";
import type { Database, Transaction } from "./database.ts";

/** Work is at hand or waits for somebody. */
const LIVE: ReadonlySet<Status> = new Set(["queued", "running", "waiting", "recovering"]);

/** Blobs stay until `tidy` finds that nobody refers to them. */
const TABLES = [
  ["snapshot", "log"],
  ["seen", "session"],
  ["timer", "log"],
  ["log_blob", "log"],
  ["command", "log"],
  ["ask", "session"],
  ["session", "id"],
  ["log", "id"],
] as const;

const SLICE_FACTS = 5_000;

export async function deleteSession(
  { database, changed }: Context,
  id: string,
  { force }: { force: boolean },
  command?: Command,
): Promise<Deleted> {
  const deleted = await database.transaction(
    (transaction) => once<Deleted>(transaction, command, () => takeAway(transaction, id, force)),
    { repeatable: command !== undefined },
  );
  if (!deleted.ok) return deleted;
  changed(id, 0); // there is no row any more; `gone` tells the others
  // The session is gone all the same; `tidy` goes on with the rest.
  if (!deleted.replayed) await purge(database, id).catch(() => {});
  return deleted;
}

async function takeAway(transaction: Transaction, id: string, force: boolean): Promise<Deleted> {
  const [session] = await transaction.query<{ status: Status; processes: number }>({
    text: `select session.status,
        (select count(*) from process where process.session = $1 and process.status = 'running') as processes
      from log join session on session.id = log.id where log.id = $1 for update of log`,
    values: [id],
  });
  if (!session) return { ok: false, code: "not_found" };
  const { status, processes } = session;
  if (!force && (LIVE.has(status) || processes > 0)) return { ok: false, code: "live", status, processes };
  await orphanProcesses(transaction, id);
  for (const [table, column] of TABLES)
    await transaction.query({ text: `delete from ${table} where ${column} = $1`, values: [id] });
  await transaction.query({ text: "insert into purge (log) values ($1)", values: [id] });
  await transaction.query({ text: `insert into gone (id, touched) values ($1, ${NOW_S})`, values: [id] });
  return { ok: true };
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
