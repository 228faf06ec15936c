// A fork: the facts up to a point, copied as they are, and what makes them whole without the rest.
import type { By } from "../../session/event.ts";
import { seqOf, type Position } from "../../session/position.ts";
import { prepareBatch } from "../batch.ts";
import { planFork } from "../fork-plan.ts";
import type { Command, Forked } from "../store.ts";
import { keepResult, takeKey } from "./command.ts";
import type { Context } from "./context.ts";
import { insertSession, personOf } from "./create-session.ts";
import { readEvents, readEventsBefore, readHead } from "./read-events.ts";
import { readSession } from "./read-sessions.ts";
import { readSnapshot } from "./view.ts";
import { insertLog, writeEvents } from "./write-events.ts";

/** A million facts take a while to copy. */
const STATEMENT_MS = 120_000;

export async function forkSession(
  { database, clock, changed }: Context,
  from: string,
  at: Position | undefined,
  id: string,
  author: By,
  command?: Command,
): Promise<Forked> {
  const person = personOf(author);
  const original = await readSession(database, from, person);
  const head = await readHead(database, from);
  if (!original || !head) return { ok: false, code: "not_found" };
  if (at !== undefined && at > head.position) return { ok: false, code: "moved", position: head.position };
  const now = clock();
  const time = new Date(now).toISOString();
  const plan = await planFork(
    {
      log: from,
      read: (after, limit) => readEvents(database, from, after, limit),
      readBefore: (before, limit) => readEventsBefore(database, from, before, limit),
      snapshot: await readSnapshot(database, from),
    },
    at ?? head.position,
    time,
    author,
  );
  if (!plan) return { ok: false, code: "moved", position: head.position };
  const batch = prepareBatch(plan.facts, time, author);
  const copied = seqOf(plan.point);

  const forked = await database.transaction(
    async (transaction) => {
      const earlier = await takeKey(transaction, command);
      if (earlier.kind === "other") return { code: "key_reused" } as const;
      if (earlier.kind === "same") return { code: "replayed", id: earlier.result } as const;
      const [copy] = await transaction.query<{ facts: number }>({
        text: `with copied as (
            insert into event (log, seq, crc, tally, author, words, text)
            select $2, seq, crc, tally, author, words, text from event where log = $1 and seq <= $3
            returning 1),
          blobs as (insert into log_blob (log, blob) select $2, blob from log_blob where log = $1)
          select count(*) as facts from copied`,
        values: [from, id, copied],
      });
      if (copy?.facts !== copied) return transaction.abandon({ code: "not_found" } as const); // deleted meanwhile
      await writeEvents(transaction, id, batch, copied);
      const { profile, workspace, lane } = original;
      await insertSession(transaction, {
        id,
        profile,
        ...(workspace === null ? {} : { workspace }),
        ...(lane === null ? {} : { lane }),
        origin: { kind: "fork", session: from, at: plan.point },
        row: plan.row,
        at: now,
      });
      await insertLog(transaction, id, "session", { seq: copied + batch.facts, sub: 0, closed: false });
      await keepResult(transaction, command, id);
      return { code: "forked", id } as const;
    },
    { repeatable: command !== undefined, statementMs: STATEMENT_MS },
  );
  if (forked.code === "not_found" || forked.code === "key_reused") return { ok: false, code: forked.code };
  const made = await readSession(database, forked.id, person);
  if (!made) return { ok: false, code: "not_found" };
  if (forked.code === "replayed") return { ok: true, session: made, replayed: true };
  changed(id);
  return { ok: true, session: made };
}
