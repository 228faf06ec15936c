// Deleting takes a session out of sight in one transaction; its events, which may be a million, go afterwards in
// slices, and a start after a crash goes on with them.
import type { Deed } from "../../session/deed.ts";
import { goneTimer } from "../../session/gone-delegate.ts";
import type { Status } from "../../session/row.ts";
import type { Command, Deleted } from "../store.ts";
import { leaveBlobs } from "./blob.ts";
import { once } from "./command.ts";
import { noting } from "./deed.ts";
import { leaveFiles } from "./named-files.ts";
import { orphanProcesses } from "./process.ts";
import type { Writing } from "./writing.ts";

/** Work is at hand or waits for somebody. */
const LIVE: ReadonlySet<Status> = new Set(["queued", "running", "waiting", "recovering"]);

const SLICE_EVENTS = 500;
/** More than delegates are nested. */
const DEPTH_MAX = 8;

/** `gone` is all that went with it. */
export function deleteSession(
  writing: Writing,
  id: string,
  force: boolean,
  now: number,
  command: Command | undefined,
  deed: Deed | undefined,
): { deleted: Deleted; gone: string[] } {
  let gone: string[] = [];
  const deleted = once<Deleted>(writing, command, now, () => {
    const family = familyOf(writing, id);
    const [session] = family;
    if (!session) return { ok: false, code: "not_found" };
    const live = force
      ? undefined
      : family.find(({ status, processes }) => LIVE.has(status) || processes > 0);
    if (live) return { ok: false, code: "live", status: live.status, processes: live.processes };
    tellOrigin(writing, id);
    for (const member of family) takeAway(writing, member, now);
    gone = family.map((member) => member.id);
    return noting(writing, deed, now, { ok: true });
  });
  return { deleted, gone };
}

type Member = { id: string; log: number; status: Status; processes: number };

/** The session and whoever works for it, directly or not: nobody would see them without it. */
function familyOf({ database }: Writing, id: string): Member[] {
  return database.all<Member>(
    `with recursive family (id, depth) as (
        select id, 0 from session where id = ?
        union
        select child.id, depth + 1 from family join session child
          on child.origin_session = family.id and child.origin_kind = 'delegation'
        where depth < ${DEPTH_MAX})
      select session.id, session.log, session.status,
        (select count(*) from process where process.session = session.id and process.status = 'running') as processes
      from family join session on session.id = family.id order by family.depth`,
    id,
  );
}

/** Whoever it works for learns by a timer that it is gone. */
function tellOrigin({ database }: Writing, id: string): void {
  database.run(
    `insert into timer (key, log, due_at)
      select ?2, origin_session, 0 from session where id = ?1 and origin_kind = 'delegation'
      on conflict do nothing`,
    id,
    goneTimer(id),
  );
}

/** Whom it succeeded goes on in whoever succeeded it; the last of a line has nobody to go on in. */
function closeLine({ database }: Writing, id: string): void {
  database.run(
    `update session set successor = gone.successor from session gone
      where gone.id = ? and gone.successor is not null
        and session.lineage = gone.lineage and session.successor = gone.id`,
    id,
  );
}

function takeAway(writing: Writing, { id, log }: Member, now: number): void {
  const { database, logs } = writing;
  orphanProcesses(writing, id, now);
  closeLine(writing, id);
  database.run("delete from timer where log = ?", id);
  database.run("delete from usage_left where session = ?", id); // what it used was used all the same, and stays
  leaveBlobs(writing, log);
  leaveFiles(writing, log, now);
  for (const table of ["session", "snapshot", "seen", "drafting", "command", "ask"])
    database.run(`delete from ${table} where log = ?`, log);
  database.run("delete from log where key = ?", log);
  database.run("insert into purge (log) values (?)", log);
  logs.forget(id);
}

/** A slice of what deleted logs have left; false when nothing is. */
export function purge({ database, index }: Writing, now: number): boolean {
  const [log] = database.tuple<[number]>("select log from purge where not copying limit 1") ?? [];
  if (log === undefined) return false;
  const [block] =
    database.tuple<[number]>("select block from span where log = ? order by seq, sub limit 1", log) ?? [];
  if (block === undefined) {
    // Of one that was never finished.
    leaveBlobs({ database }, log);
    leaveFiles({ database }, log, now);
    database.run("delete from drafting where log = ?", log);
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
