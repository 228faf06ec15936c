// The last transaction of a succession: the copy becomes a session, and the one it succeeds ends with its name.
import type { Batch } from "../batch.ts";
import type { Command, Forked, LogId } from "../store.ts";
import { refusal } from "./append.ts";
import { once } from "./command.ts";
import { madeSession } from "./create-session.ts";
import { finishCopy, isWhole, type CopiedSession } from "./fork-copy.ts";
import type { Writing } from "./writing.ts";
import { writeEvents } from "./write-events.ts";

export type FinishSuccession = CopiedSession & {
  id: string;
  from: LogId;
  expectSeq: number;
  ended: Batch;
  command: Command | undefined;
};

export function finishSuccession(writing: Writing, succession: FinishSuccession): Forked {
  const { key, at, id, from, expectSeq, ended, person, now, command } = succession;
  const { database, logs } = writing;
  return once<Forked>(writing, command, now, () => {
    const original = logs.find(from);
    const refused = refusal(writing, original, { log: from, expectSeq });
    if (refused) return refused;
    const profile = database.get<{ profile: string }>("select profile from session where id = ?", from);
    if (!original || !profile || !isWhole(writing, succession)) return { ok: false, code: "not_found" };
    finishCopy(writing, original, succession, { id, ...profile });
    database.run(
      `update session set (workspace, lane, origin_kind, origin_session, origin_at, pinned, host) =
        (select workspace, lane, origin_kind, origin_session, origin_at, pinned, host from session where log = ?)
        where log = ?`,
      original.key,
      key,
    );
    // Who has read the old one need not read the same again.
    database.run(
      `insert into seen (log, person, seq, sub)
        select ?1, person, min(seq, ?3), case when seq < ?3 then sub else 0 end from seen where log = ?2`,
      key,
      original.key,
      at,
    );
    writeEvents(writing, original, ended, now);
    return { ok: true, session: madeSession(writing, id, person) };
  });
}
