// The writer's part of a copy: facts are copied in slices into a log that nobody can see yet, and one last
// transaction makes it a session. Until then it stands in `purge`, so that a crash leaves nothing behind.
import { formatPosition } from "../../session/position.ts";
import type { NewEvent } from "../../session/event.ts";
import type { RowState } from "../../session/row.ts";
import { searchText } from "../../session/search-text.ts";
import type { Tally } from "../batch.ts";
import { checkedEvent } from "../event-text.ts";
import type { Command, Forked, LogId, Origin } from "../store.ts";
import { once, recall } from "./command.ts";
import { insertLog, insertSession, madeSession, type SessionColumns } from "./create-session.ts";
import { readEnd, type LogState } from "./logs.ts";
import type { PackedBatch } from "./packed-batch.ts";
import { blocksAfter } from "./spans.ts";
import { insertEvent, writeEvents } from "./write-events.ts";
import type { Writing } from "./writing.ts";

const SLICE_FACTS = 250;

/** A key for the copy, or what was answered under this command before. */
export function beginFork(
  writing: Writing,
  command: Command | undefined,
): { key: number } | { forked: Forked } {
  const earlier = command && recall<Extract<Forked, { ok: true }>>(writing.database, command);
  if (earlier) return { forked: earlier };
  const { database } = writing;
  const made = database.get<{ key: number }>(
    "insert into log (id, kind) values ('', 'session') returning key", // only for a key that was never used
  );
  if (!made) throw new Error("a new log has no key");
  database.run("delete from log where key = ?", made.key);
  database.run("insert into purge (log, copying) values (?, 1)", made.key);
  return made;
}

/** How far the copy reaches now; undefined when the original was deleted meanwhile. */
export function copyFacts(writing: Writing, from: LogId, key: number, upTo: number): number | undefined {
  const { database, logs } = writing;
  const original = logs.find(from);
  if (!original) return undefined;
  const copy = copyState(writing, key);
  for (const block of blocksAfter(database, original.key, { seq: copy.seq, sub: 0 })) {
    const facts = database.all<FactRecord>(
      `select seq, tally, author, crc, text from event
        where block = ? and log = ? and seq > ? and seq <= ? and sub = 0 order by seq, sub limit ${SLICE_FACTS}`,
      block,
      original.key,
      copy.seq,
      upTo,
    );
    for (const { seq, tally, author, crc, text } of facts) {
      copy.seq = seq;
      const event = checkedEvent(from, seq, 0, text, crc);
      const id = insertEvent(writing, copy, text, { owner: null, tally, author, crc });
      writing.index.note(id, searchText(event as unknown as NewEvent) ?? null); // a newer version's type has no text
    }
    if (facts.length > 0) return copy.seq;
  }
  return copy.seq;
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
  { key, row, batch, now }: CopiedSession,
  session: Omit<SessionColumns, "row" | "now">,
): void {
  const { database } = writing;
  const log = insertLog(writing, session.id, "session", key);
  if (!log) throw new RangeError(`a copy can't be named ${session.id}: there is such a log already`);
  database.run("delete from purge where log = ?", key);
  // Its facts carry the original's epochs, and epochs never go down in a log.
  log.epoch = original.epoch;
  database.run("update log set epoch = ? where key = ?", log.epoch, key);
  insertSession(writing, log, { ...session, row, now });
  database.run(
    "insert into log_blob (log, blob) select ?, blob from log_blob where log = ?",
    key,
    original.key,
  );
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

type FactRecord = { seq: number; tally: Tally | null; author: string | null; crc: number; text: string };

function copyState({ database }: Writing, key: number): LogState {
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
