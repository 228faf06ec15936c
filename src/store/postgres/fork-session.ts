// A fork: the facts up to a point, copied as they are, and what makes them whole without the rest.
import type { By } from "../../session/event.ts";
import { seqOf, type Position } from "../../session/position.ts";
import { prepareBatch } from "../batch.ts";
import { planFork, type ForkSource } from "../fork-plan.ts";
import type { Command, Forked } from "../store.ts";
import { once, recall } from "./command.ts";
import type { Context } from "./context.ts";
import { insertSession, madeSession, personOf } from "./create-session.ts";
import type { Database, Transaction } from "./database.ts";
import { readEvents, readEventsBefore } from "./read-events.ts";
import { readSession } from "./read-sessions.ts";
import { NEW_WORDS } from "./words-duty.ts";
import { readSnapshot } from "./view.ts";
import { FIRST_REV, insertLog, writeEvents } from "./write-events.ts";

/** A million facts take a while to copy. */
const STATEMENT_MS = 120_000;

export async function forkSession(
  context: Context,
  from: string,
  at: Position | undefined,
  id: string,
  author: By,
  command?: Command,
): Promise<Forked> {
  const { database, clock, changed } = context;
  const earlier = command && (await recall<Extract<Forked, { ok: true }>>(database, command));
  if (earlier) return earlier;
  const original = await readSession(database, from, personOf(author));
  if (!original) return { ok: false, code: "not_found" };
  const end = at ?? original.position;
  const now = clock();
  const time = new Date(now).toISOString();
  const plan =
    end > original.position ? undefined : await planFork(await sourceOf(database, from), end, time, author);
  if (!plan) return { ok: false, code: "moved", position: original.position };

  const batch = prepareBatch(plan.facts, time, author);
  const copied = seqOf(plan.point);
  const forked = await database.transaction(
    (transaction) =>
      once<Forked>(transaction, command, async () => {
        if (!(await copyFacts(transaction, from, id, copied))) return { ok: false, code: "not_found" };
        await writeEvents(transaction, id, batch, copied);
        const { profile, workspace, lane } = original;
        const origin = { kind: "fork", session: from, at: plan.point } as const;
        await insertSession(transaction, { id, profile, workspace, lane, origin, row: plan.row, at: now });
        await insertLog(transaction, id, "session", { seq: copied + batch.facts, sub: 0, closed: false });
        return { ok: true, session: await madeSession(transaction, id, personOf(author)) };
      }),
    { repeatable: command !== undefined, statementMs: STATEMENT_MS },
  );
  if (forked.ok && !forked.replayed) changed(id, FIRST_REV);
  return forked;
}

async function sourceOf(database: Database, log: string): Promise<ForkSource> {
  return {
    log,
    read: (after, limit) => readEvents(database, log, after, limit),
    readBefore: (before, limit) => readEventsBefore(database, log, before, limit),
    snapshot: await readSnapshot(database, log),
  };
}

/** False when the original was deleted meanwhile. */
async function copyFacts(transaction: Transaction, from: string, id: string, upTo: number): Promise<boolean> {
  const [copy] = await transaction.query<{ facts: number }>({
    text: `with copied as (
        insert into event (log, seq, crc, tally, author, text)
        select $2, seq, crc, tally, author, text from event where log = $1 and seq <= $3
        returning 1),
      words as (
        insert into search (log, seq, words)
        select $2, seq, words from search where log = $1 and seq <= $3
        union all
        select $2, seq, ${NEW_WORDS} from search_new where log = $1 and seq <= $3),
      blobs as (insert into log_blob (log, blob, at) select $2, blob, at from log_blob where log = $1)
      select count(*) as facts from copied`,
    values: [from, id, upTo],
  });
  return copy?.facts === upTo;
}
