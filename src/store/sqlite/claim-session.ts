// Which session goes on next: the longest untouched of those that can.
import { seqOf } from "../../session/position.ts";
import type { Claim, LogId, LostSession } from "../store.ts";
import type { Database } from "./database.ts";
import { claimLease, heedClock } from "./lease.ts";
import { readHead } from "./read-events.ts";
import type { Writing } from "./writing.ts";

/** How many sessions are looked at: one whose lease was extended since its row was written is passed over. */
const LOOKED_AT_MAX = 256;

export function claimSession(
  writing: Writing,
  holder: string,
  host: string,
  ttlMs: number,
  now: number,
  longestWaitMs: number | undefined,
  except: readonly LogId[],
): Claim | undefined {
  heedClock(writing, ttlMs, now);
  // A holder means that its executor works on it, or went without giving the lease back: then more may be left to do
  // than the row tells.
  const runnable = writing.database.tuples<[string]>(
    `select id from (
      select session.id, 0 as held, session.updated_at from session join log on log.key = session.log
      where session.status in ('queued', 'running', 'recovering', 'waiting') and log.holder is null
        and (not log.rested or session.retry_at <= ?1 or session.retry_at > ?4)
      union all
      select session.id, 1, session.updated_at from log join session on session.log = log.key
      where log.holder is not null and not log.closed and log.lease_until <= ?3)
     where id not in (select value from json_each(?5))
     order by held, updated_at limit ?2`,
    new Date(now).toISOString(),
    LOOKED_AT_MAX,
    now, // the row's time may lie behind what the lease has been extended to, never ahead of it
    longestWaitMs === undefined ? null : new Date(now + longestWaitMs).toISOString(),
    JSON.stringify(except),
  );
  for (const [id] of runnable) {
    const claimed = claimLease(writing, id, holder, ttlMs, now);
    if (!claimed.ok) continue;
    writing.database.run("update session set host = ? where id = ? and host is not ?", host, id, host);
    const { lease, takeover, crash, atMs } = claimed;
    return { lease, takeover, crash, atMs };
  }
  return undefined;
}

/** A file has one owner: every holder but this node is gone. */
export function lostSessions(database: Database, node: string, limit: number): LostSession[] {
  const lost = database.tuples<[string, number]>(
    `select session.id, log.epoch from log join session on session.log = log.key
     where log.holder is not null and log.holder <> ? and not log.closed
       and session.turn is not null and not session.recovering
     limit ?`,
    node,
    limit,
  );
  return lost.flatMap(([session, epoch]) => {
    const head = readHead(database, session);
    return head ? [{ session, epoch, seq: seqOf(head.position) }] : [];
  });
}
