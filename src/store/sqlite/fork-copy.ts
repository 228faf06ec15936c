// The writer's part of a copy: events are written in slices into a log that nobody can see yet, and one last
// transaction makes it a session. Until then it stands in `purge`, so that a crash leaves nothing behind.
import { formatPosition, type Position } from "../../session/position.ts";
import type { NewEvent } from "../../session/event.ts";
import type { RowState } from "../../session/row.ts";
import type { Tally } from "../batch.ts";
import { checkedEvent } from "../event-text.ts";
import type { Command, Forked, LogId, Origin } from "../store.ts";
import { once, recall } from "./command.ts";
import { insertLog, insertSession, madeSession, type SessionColumns } from "./create-session.ts";
import { readEnd, type LogState } from "./logs.ts";
import type { PackedBatch } from "./packed-batch.ts";
import { searchOf } from "./search-index.ts";
import { blocksAfter } from "./spans.ts";
import { insertEvent, writeEvents } from "./write-events.ts";
import type { Writing } from "./writing.ts";

const SLICE_EVENTS = 250;

/** A key for the copy, or what was answered under this command before. */
export function beginFork(
  writing: Writing,
  command: Command | undefined,
): { key: number } | { forked: Forked } {
  const earlier = command && recall<Extract<Forked, { ok: true }>>(writing.database, command);
  return earlier ? { forked: earlier } : beginCopy(writing);
}

export function beginCopy({ database }: Writing): { key: number } {
  const made = database.get<{ key: number }>(
    "insert into log (id, kind) values ('', 'session') returning key", // only for a key that was never used
  );
  if (!made) throw new Error("a new log has no key");
  database.run("delete from log where key = ?", made.key);
  database.run("insert into purge (log, copying) values (?, 1)", made.key);
  return made;
}

/**
 * How far the copy reaches now; undefined when the original was deleted meanwhile. Drafts go along where no fact has made
 * them superfluous: they alone know what an answer said that broke off. None of them stands behind the last fact, at
 * which nothing was half done.
 */
export function copyEvents(writing: Writing, from: LogId, key: number, upTo: number): Position | undefined {
  const { database, logs } = writing;
  const original = logs.find(from);
  if (!original) return undefined;
  const copy = copyState(writing, key);
  for (const block of blocksAfter(database, original.key, copy)) {
    const events = database.all<EventRecord>(
      `select seq, sub, owner, tally, author, crc, text from event
        where block = ? and log = ? and (seq, sub) > (?, ?) and (seq, sub) <= (?, 0)
          and (owner is null or not exists (
            select 1 from drafting
            where drafting.log = event.log and drafting.owner = event.owner and drafting.until is not null))
        order by seq, sub limit ${SLICE_EVENTS}`,
      block,
      original.key,
      copy.seq,
      copy.sub,
      upTo,
    );
    for (const { seq, sub, text, ...columns } of events) {
      Object.assign(copy, { seq, sub });
      const event = checkedEvent(from, seq, sub, text, columns.crc);
      const id = insertEvent(writing, copy, text, columns);
      writing.index.note(id, searchOf(event as unknown as NewEvent)); // a newer version's type has no text
    }
    if (events.length > 0) break;
  }
  return formatPosition(copy.seq, copy.sub);
}

/** A log that has been copied as far as `at`, and what makes a session of it. */
export type CopiedSession = {
  key: number;
  at: number;
  row: RowState;
  batch: PackedBatch;
  person: string;
  now: number;
};

export type FinishFork = CopiedSession & {
  id: string;
  from: LogId;
  origin: Origin;
  command: Command | undefined;
};

export function finishFork(writing: Writing, fork: FinishFork): Forked {
  const { id, from, origin, person, now, command } = fork;
  return once<Forked>(writing, command, now, () => {
    const original = writing.logs.find(from);
    const about = writing.database.get<{ profile: string; workspace: string | null }>(
      "select profile, workspace from session where id = ?",
      from,
    );
    if (!original || !about || !isWhole(writing, fork)) return { ok: false, code: "not_found" };
    const { profile, workspace } = about;
    finishCopy(writing, original, fork, {
      id,
      profile,
      ...(workspace === null ? {} : { workspace }),
      origin,
    });
    return { ok: true, session: madeSession(writing, id, person) };
  });
}

export function isWhole({ database }: Writing, { key, at }: CopiedSession): boolean {
  return readEnd(database, key).seq === at;
}

export function finishCopy(
  writing: Writing,
  original: LogState,
  copied: CopiedSession,
  session: Omit<SessionColumns, "row" | "now">,
): void {
  for (const [table, column] of [
    ["log_blob", "blob"],
    ["log_file", "file"],
  ])
    writing.database.run(
      `insert into ${table} (log, ${column}) select ?, ${column} from ${table} where log = ?`,
      copied.key,
      original.key,
    );
  openCopy(writing, original.epoch, copied, session);
}

/** From here on everybody sees it. Its facts carry epochs, and those never go down in a log. */
export function openCopy(
  writing: Writing,
  epoch: number,
  { key, row, batch, now }: CopiedSession,
  session: Omit<SessionColumns, "row" | "now">,
): void {
  const { database } = writing;
  const log = insertLog(writing, session.id, "session", key);
  if (!log) throw new RangeError(`a copy can't be named ${session.id}: there is such a log already`);
  database.run("delete from purge where log = ?", key);
  log.epoch = epoch;
  database.run("update log set epoch = ? where key = ?", log.epoch, key);
  insertSession(writing, log, { ...session, row, now });
  writeEvents(writing, log, batch);
}

/** A copy that will not be finished is removed like any log that is gone. */
export function abandonFork({ database }: Writing, key: number): void {
  database.run("update purge set copying = 0 where log = ?", key);
}

/** At the start of a process: whoever was copying is gone. */
export function abandonForks({ database }: Writing): void {
  database.run("update purge set copying = 0 where copying");
}

type EventRecord = {
  seq: number;
  sub: number;
  owner: string | null;
  tally: Tally | null;
  author: string | null;
  crc: number;
  text: string;
};

export function copyState({ database }: Writing, key: number): LogState {
  return {
    key,
    id: formatPosition(key, 0),
    kind: "session",
    ...readEnd(database, key),
    closed: false,
    epoch: 0,
    holder: null,
    leaseUntil: 0,
    savedLeaseUntil: 0,
    snapshotSeq: 0,
    rested: false,
    drafting: new Set(),
  };
}
