// What a fork and a successor have in common: facts of a log become another's, as they are, with the drafts of what broke
// off, in one transaction.
import type { By } from "../../session/event.ts";
import { seqOf, type Position } from "../../session/position.ts";
import { prepareBatch } from "../batch.ts";
import { planFork, type Following, type ForkSource } from "../fork-plan.ts";
import type { Command, Forked, LogId, Origin, SessionRow } from "../store.ts";
import { once, recall } from "./command.ts";
import type { Context } from "./context.ts";
import { insertSession, madeSession, personOf } from "./create-session.ts";
import type { Database, Transaction } from "./database.ts";
import { lockLogs } from "./lock-logs.ts";
import { readEvents, readEventsBefore } from "./read-events.ts";
import { readSession } from "./read-sessions.ts";
import { NEW_WORDS } from "./words-duty.ts";
import { readSnapshot } from "./view.ts";
import { insertLog, writeEvents } from "./write-events.ts";

/** A million facts take a while to copy. */
const STATEMENT_MS = 120_000;

export type Copying = {
  from: LogId;
  /** The end of the log when absent. */
  at: Position | undefined;
  id: string;
  following: Following;
  /** What a fork and a successor don't take over alike. */
  about: (original: SessionRow, point: Position) => { origin: Origin | null; lane: string | null };
  author: By;
  command: Command | undefined;
  /** Which logs it changes besides the one that it makes. */
  changes?: readonly LogId[];
  /** What else is to be so, in the same transaction: before anything is written, and after all is. */
  first?: (transaction: Transaction) => Promise<{ ok: true } | Extract<Forked, { ok: false }>>;
  last?: (transaction: Transaction, point: Position) => Promise<void>;
};

export async function copySession({ database, asides, clock }: Context, copying: Copying): Promise<Forked> {
  const { from, id, at, following, author, command } = copying;
  const earlier = command && (await recall<Extract<Forked, { ok: true }>>(database, command));
  if (earlier) return earlier;
  const original = await readSession(database, from, personOf(author));
  if (!original) return { ok: false, code: "not_found" };
  const end = at ?? original.position;
  const now = clock();
  const time = new Date(now).toISOString();
  const plan =
    end > original.position
      ? undefined
      : await planFork(await sourceOf(database, from), end, following, time, author);
  if (!plan) return { ok: false, code: "moved", position: original.position };

  const { point, row } = plan;
  const batch = prepareBatch(plan.facts, time, author, await asides.of(plan.facts));
  const copied = seqOf(point);
  return database.transaction(
    async (transaction) => {
      if (copying.changes) await lockLogs(transaction, copying.changes);
      return once<Forked>(transaction, command, async () => {
        const allowed = await copying.first?.(transaction);
        if (allowed && !allowed.ok) return allowed;
        if (!(await copyEvents(transaction, from, id, copied))) return { ok: false, code: "not_found" };
        await writeEvents(transaction, id, batch, copied);
        const { profile, workspace } = original;
        const about = copying.about(original, point);
        await insertSession(transaction, { id, profile, workspace, ...about, row, at: now });
        await insertLog(transaction, id, "session", { seq: copied + batch.facts, sub: 0, closed: false });
        await keepBlobs(transaction, id);
        if (!(await takeEpoch(transaction, from, id))) return { ok: false, code: "not_found" };
        await copying.last?.(transaction, point);
        return { ok: true, session: await madeSession(transaction, id, personOf(author)) };
      });
    },
    { repeatable: command !== undefined, statementMs: STATEMENT_MS },
  );
}

async function sourceOf(database: Database, log: string): Promise<ForkSource> {
  return {
    log,
    read: (after, limit) => readEvents(database, log, after, limit),
    readBefore: (before, limit) => readEventsBefore(database, log, before, limit),
    snapshot: await readSnapshot(database, log),
  };
}

/**
 * As if they were put again: else tidy, which can't see the copy yet, would take them for nobody's once the original is
 * deleted. They were the original's until then, so it has to be there after this.
 */
async function keepBlobs(transaction: Transaction, id: string): Promise<void> {
  await transaction.query({
    text: `with kept as materialized (
        select blob.id from log_blob join blob on blob.id = log_blob.blob
        where log_blob.log = $1 order by blob.id for update of blob)
      update blob set puts = puts + 1 from kept where blob.id = kept.id`,
    values: [id],
  });
}

/** Its facts carry the original's epochs, and epochs never go down in a log. False when the original was deleted meanwhile. */
async function takeEpoch(transaction: Transaction, from: string, id: string): Promise<boolean> {
  const taken = await transaction.query({
    text: "update log set epoch = original.epoch from log original where original.id = $1 and log.id = $2 returning log.id",
    values: [from, id],
  });
  return taken.length > 0;
}

/**
 * False when the original was deleted meanwhile. The drafts in front of the last fact are those of answers that broke off,
 * which alone know what was said: any others went with their own fact.
 */
async function copyEvents(
  transaction: Transaction,
  from: string,
  id: string,
  upTo: number,
): Promise<boolean> {
  const [copy] = await transaction.query<{ facts: number }>({
    text: `with copied as (
        insert into event (log, seq, crc, tally, author, text)
        select $2, seq, crc, tally, author, text from event where log = $1 and seq <= $3
        returning 1),
      drafts as (
        insert into draft (log, seq, sub, crc, owner, text)
        select $2, seq, sub, crc, owner, text from draft where log = $1 and seq < $3),
      words as (
        insert into search (log, seq, words)
        select $2, seq, words from search where log = $1 and seq <= $3
        union all
        select $2, seq, ${NEW_WORDS} from search_new where log = $1 and seq <= $3),
      blobs as (insert into log_blob (log, blob, at) select $2, blob, at from log_blob where log = $1),
      files as (insert into log_file (log, file, at) select $2, file, at from log_file where log = $1)
      select count(*) as facts from copied`,
    values: [from, id, upTo],
  });
  return copy?.facts === upTo;
}
