// A session goes at once, and its events after it, some at a time: a long transaction would hold up whoever appends
// in the same tick, and keep everybody's dead rows from being vacuumed.
import type { Deed } from "../../session/deed.ts";
import { goneTimer } from "../../session/gone-delegate.ts";
import type { Status } from "../../session/row.ts";
import { StorageError, type Command, type Deleted } from "../store.ts";
import { NOW_S } from "./clock.ts";
import { once } from "./command.ts";
import type { Context } from "./context.ts";
import type { Database, Transaction } from "./database.ts";
import { noting } from "./deed.ts";
import { lockLogs } from "./lock-logs.ts";
import { leaveFiles } from "./named-files.ts";
import { orphanProcesses } from "./process.ts";
import { STATUS } from "./session-status.ts";

/** Work is at hand or waits for somebody. */
const LIVE: ReadonlySet<Status> = new Set(["queued", "running", "waiting", "recovering"]);

/** Blobs stay until `tidy` finds that nobody refers to them; what it used was used all the same. */
const TABLES = [
  ["snapshot", "log"],
  ["seen", "session"],
  ["timer", "log"],
  ["log_blob", "log"],
  ["command", "log"],
  ["ask", "session"],
  ["usage_left", "session"],
  ["session", "id"],
  ["log", "id"],
] as const;

const SLICE_FACTS = 5_000;
/** More than delegates are nested. */
const DEPTH_MAX = 8;
/** How often a family may grow between a look at it and the locks. */
const GROWTHS_MAX = 5;

export async function deleteSession(
  { database, clock, now, changed }: Context,
  id: string,
  { force }: { force: boolean },
  command?: Command,
  deed?: Deed,
): Promise<Deleted> {
  let gone: readonly string[] = [];
  const attempt = () =>
    database.transaction(
      async (transaction) => {
        const family = await lockFamily(transaction, id);
        if (!family) return transaction.abandon(undefined);
        return once<Deleted>(transaction, command, async () => {
          const taken = await takeAway(transaction, id, family, force);
          if (taken.ok)
            await leaveFiles(
              { now },
              transaction,
              family.map((member) => member.id),
            );
          gone = taken.ok ? family.map((member) => member.id) : [];
          return noting(transaction, deed, clock(), taken);
        });
      },
      { repeatable: command !== undefined },
    );
  let deleted = await attempt();
  for (let growths = 1; !deleted && growths < GROWTHS_MAX; growths++) deleted = await attempt();
  if (!deleted) throw new StorageError("busy", `${id} gives out work too fast to be deleted: stop it first`);
  if (!deleted.ok) return deleted;
  for (const each of deleted.replayed ? [id] : gone) changed(each, 0); // there is no row any more; `gone` tells the others
  // The sessions are gone all the same; `tidy` goes on with the rest.
  if (!deleted.replayed) for (const each of gone) await purge(database, each).catch(() => {});
  return deleted;
}

type Member = { id: string; status: Status; processes: number; predecessor: string | null };

/**
 * The session and whoever works for it, directly or not: nobody would see them without it. Once they are locked nobody
 * can begin to work for one of them; undefined when somebody just has. Those that they succeeded are changed with them.
 */
async function lockFamily(transaction: Transaction, id: string): Promise<Member[] | undefined> {
  const seen = new Set((await readFamily(transaction, id)).flatMap(withPredecessor));
  await lockLogs(transaction, [...seen]);
  const family = await readFamily(transaction, id);
  return family.flatMap(withPredecessor).every((each) => seen.has(each)) ? family : undefined;
}

function withPredecessor({ id, predecessor }: Member): string[] {
  return predecessor === null ? [id] : [id, predecessor];
}

function readFamily(transaction: Transaction, id: string): Promise<Member[]> {
  return transaction.query<Member>({
    text: `with recursive family (id, depth) as (
        select id, 0 from session where id = $1
        union
        select child.id, depth + 1 from family join session child
          on child.origin_session = family.id and child.origin_kind = 'delegation'
        where depth < ${DEPTH_MAX})
      select session.id, ${STATUS} as status,
        (select before.id from session before where before.successor = session.id limit 1) as predecessor,
        (select count(*) from process where process.session = session.id and process.status = 'running') as processes
      from session where session.id in (select id from family)`,
    values: [id],
  });
}

async function takeAway(
  transaction: Transaction,
  id: string,
  family: readonly Member[],
  force: boolean,
): Promise<Deleted> {
  const session = family.find((member) => member.id === id);
  if (!session) return { ok: false, code: "not_found" };
  const live = [session, ...family].find(({ status, processes }) => LIVE.has(status) || processes > 0);
  if (live && !force) return { ok: false, code: "live", status: live.status, processes: live.processes };
  await tellOrigin(transaction, id);
  for (const member of family) await takeMember(transaction, member.id);
  return { ok: true };
}

/** Whoever it works for learns by a timer that it is gone. */
async function tellOrigin(transaction: Transaction, id: string): Promise<void> {
  await transaction.query({
    text: `insert into timer (key, log, due_at)
      select $2, origin_session, 0 from session where id = $1 and origin_kind = 'delegation'
      on conflict do nothing`,
    values: [id, goneTimer(id)],
  });
}

/** Whom it succeeded goes on in whoever succeeded it; the last of a line has nobody to go on in. */
async function closeLine(transaction: Transaction, id: string): Promise<void> {
  await transaction.query({
    text: `update session set successor = gone.successor from session gone
      where gone.id = $1 and gone.successor is not null and session.successor = gone.id`,
    values: [id],
  });
}

async function takeMember(transaction: Transaction, id: string): Promise<void> {
  await orphanProcesses(transaction, id);
  await closeLine(transaction, id);
  for (const [table, column] of TABLES)
    await transaction.query({ text: `delete from ${table} where ${column} = $1`, values: [id] });
  await transaction.query({ text: "insert into purge (log) values ($1)", values: [id] });
  await transaction.query({ text: `insert into gone (id, touched) values ($1, ${NOW_S})`, values: [id] });
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
