// The last transaction of a succession: the copy becomes a session, and the one it succeeds ends with its name.
import type { Command, Forked, LogId } from "../store.ts";
import { refusal } from "./append.ts";
import { once } from "./command.ts";
import { madeSession } from "./create-session.ts";
import { finishCopy, isWhole, type CopiedSession } from "./fork-copy.ts";
import type { PackedBatch } from "./packed-batch.ts";
import type { Writing } from "./writing.ts";
import { writeEvents } from "./write-events.ts";

export type FinishSuccession = CopiedSession & {
  id: string;
  from: LogId;
  expectSeq: number;
  ended: PackedBatch;
  /** The sessions that still work for it. */
  delegates: readonly string[];
  command: Command | undefined;
};

export function finishSuccession(writing: Writing, succession: FinishSuccession): Forked {
  const { key, at, id, from, expectSeq, ended, delegates, person, now, command } = succession;
  const { database, logs } = writing;
  return once<Forked>(writing, command, now, () => {
    const original = logs.find(from);
    if (!original) return { ok: false, code: "not_found" };
    const refused = refusal(writing, original, null, expectSeq);
    if (refused) return refused;
    const profile = database.get<{ profile: string }>("select profile from session where id = ?", from);
    if (!profile || !isWhole(writing, succession)) return { ok: false, code: "not_found" };
    finishCopy(writing, original, succession, { id, ...profile });
    database.run(
      `update session set (workspace, lane, origin_kind, origin_session, origin_at, pinned, host) =
        (select workspace, lane, origin_kind, origin_session, origin_at, pinned, host from session where log = ?)
        where log = ?`,
      original.key,
      key,
    );
    // What still runs for it runs for the successor, and goes when that one goes.
    database.run("update process set session = ? where session = ? and status = 'running'", id, from);
    for (const delegate of delegates)
      database.run(
        "update session set origin_session = ? where id = ? and origin_session = ?",
        id,
        delegate,
        from,
      );
    // Who has read the old one need not read the same again.
    database.run(
      `insert into seen (log, person, seq, sub)
        select ?1, person, min(seq, ?3), case when seq < ?3 then sub else 0 end from seen where log = ?2`,
      key,
      original.key,
      at,
    );
    writeEvents(writing, original, ended);
    return { ok: true, session: madeSession(writing, id, person) };
  });
}
