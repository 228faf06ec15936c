import type { By } from "../../session/event.ts";
import { formatPosition, seqOf } from "../../session/position.ts";
import { prepareBatch, type Batch } from "../batch.ts";
import { followSuccession } from "../fork-plan.ts";
import { assignments } from "../session-row.ts";
import type { Command, Forked, Refused, Succession } from "../store.ts";
import { NOW_S } from "./clock.ts";
import type { Context } from "./context.ts";
import { copySession } from "./copy-session.ts";
import type { Database, Transaction } from "./database.ts";
import { HOUR_MS } from "./session-status.ts";
import { textArray } from "./wire.ts";
import { FIRST_REV, writeEvents } from "./write-events.ts";

export async function succeedSession(
  context: Context,
  succession: Succession,
  author: By,
  command?: Command,
): Promise<Forked> {
  const { from, id, at, view, reason } = succession;
  const now = context.clock();
  const seq = seqOf(view.position);
  const ended = prepareBatch(
    [{ type: "session_ended", data: { reason, successor: id } }],
    new Date(now).toISOString(),
    author,
  );
  const delegates = await withSuccessors(
    context.database,
    view.delegates.map(({ session }) => session),
  );
  const made = await copySession(context, {
    from,
    at,
    id,
    following: followSuccession(succession),
    about: ({ origin, lane }) => ({ origin, lane }),
    author,
    command,
    changes: [from, ...delegates],
    first: (transaction) => checkLog(transaction, from, seq),
    async last(transaction, point) {
      await goOver(transaction, from, id, seqOf(point));
      await takeAlong(transaction, from, id, delegates);
      await endSession(transaction, from, ended, seq, now);
    },
  });
  if (made.ok && !made.replayed) {
    context.changed(id, FIRST_REV);
    context.changed(from, 0); // whatever it is: the next poll looks once more
  }
  return made;
}

/** A person may have gone back in one that works for it: then others do, in its place. */
async function withSuccessors(database: Database, delegates: readonly string[]): Promise<string[]> {
  if (delegates.length === 0) return [];
  const line = await database.query<{ id: string }>({
    text: `with recursive line (id, successor) as (
        select id, successor from session where id = any($1::text[])
        union
        select next.id, next.successor from line join session next on next.id = line.successor)
      select id from line`,
    values: [textArray(delegates)],
  });
  return line.map(({ id }) => id);
}

async function checkLog(transaction: Transaction, id: string, seq: number): Promise<{ ok: true } | Refused> {
  const [log] = await transaction.query<{ seq: number; sub: number; closed: boolean }>({
    text: "select seq, sub, closed from log where id = $1",
    values: [id],
  });
  if (!log) return { ok: false, code: "not_found" };
  if (log.closed) return { ok: false, code: "ended", successor: await successorOf(transaction, id) };
  if (log.seq !== seq) return { ok: false, code: "moved", position: formatPosition(log.seq, log.sub) };
  return { ok: true };
}

async function successorOf(transaction: Transaction, id: string): Promise<string | null> {
  const [session] = await transaction.query<{ successor: string | null }>({
    text: "select successor from session where id = $1",
    values: [id],
  });
  return session?.successor ?? null;
}

/** Its place in the list and at a host. Who has read the old one need not read the same again. */
async function goOver(transaction: Transaction, from: string, id: string, at: number): Promise<void> {
  await transaction.query({
    text: `with placed as (
        update session set pinned = old.pinned, host = old.host
        from session old where old.id = $1 and session.id = $2)
      insert into seen (person, session, seq, sub)
      select person, $2, least(seq, $3::bigint), case when seq < $3::bigint then sub else 0 end
      from seen where session = $1`,
    values: [from, id, at],
  });
}

/** What still runs for it runs for the successor, and goes when that one goes. */
async function takeAlong(
  transaction: Transaction,
  from: string,
  id: string,
  delegates: readonly string[],
): Promise<void> {
  await transaction.query({
    text: `with running as materialized (
        select id from process where session = $1 and status = 'running' order by id for update)
      update process set session = $2 from running where process.id = running.id`,
    values: [from, id],
  });
  await transaction.query({
    text: "update session set origin_session = $2 where origin_session = $1 and id = any($3::text[])",
    values: [from, id, textArray(delegates)],
  });
}

async function endSession(
  transaction: Transaction,
  id: string,
  ended: Batch,
  seq: number,
  now: number,
): Promise<void> {
  await transaction.query({
    text: `update log set seq = seq + $2, sub = 0, closed = true, rev = rev + 1, touched = ${NOW_S} where id = $1`,
    values: [id, ended.facts],
  });
  await writeEvents(transaction, id, ended, seq);
  const changes = ended.change ? assignments(ended.change) : [];
  await transaction.query({
    text: `update session set ${changes.map(({ column }, n) => `${column} = $${n + 3}, `).join("")}updated_at = $2,
        updated_hour = $2::bigint / ${HOUR_MS}
      where id = $1`,
    values: [id, now, ...changes.map(({ value }) => value)],
  });
}
