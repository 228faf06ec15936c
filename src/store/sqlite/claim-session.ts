// Which session goes on next: of those that can, the one that waits longest.
import { seqOf } from "../../session/position.ts";
import type { Claim, LogId, LostSession } from "../store.ts";
import type { Database } from "./database.ts";
import { claimLease, heedClock } from "./lease.ts";
import { readHead } from "./read-events.ts";
import type { Writing } from "./writing.ts";

/** How many sessions are looked at: one whose lease was extended since its row was written is passed over. */
const LOOKED_AT_MAX = 256;

/** One whose time to try again has come waits only from then on. */
const WAITS_SINCE = `max(log.waits_since, session.created_at,
    case when session.retry_at <= ?1 then cast(round(unixepoch(session.retry_at, 'subsec') * 1000) as integer) else 0 end)`;

/**
 * Of a session that can go on: its id, and since when it waits. A holder means that its executor
 * works on it, or went without giving the lease back: then more may be left to do than the row tells. And the row's time of
 * a lease may lie behind what it has been extended to, never ahead of it.
 */
const RUNNABLE = `
  select session.id, ${WAITS_SINCE} as since from session join log on log.key = session.log
  where session.status in ('queued', 'running', 'recovering', 'waiting') and log.holder is null
    and (not log.rested or session.retry_at <= ?1 or session.retry_at > ?3)
  union all
  select session.id, ${WAITS_SINCE} from log join session on session.log = log.key
  where log.holder is not null and not log.closed and log.lease_until <= ?2`;

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
  const runnable = writing.database.tuples<[string]>(
    `select id from (${RUNNABLE}) where id not in (select value from json_each(?4)) order by since limit ?5`,
    ...moment(now, longestWaitMs),
    JSON.stringify(except),
    LOOKED_AT_MAX,
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

/** Whether it is worth the writer's time to look. */
export function isRunnable(reader: Database, now: number, longestWaitMs: number | undefined): boolean {
  return reader.tuple(`${RUNNABLE} limit 1`, ...moment(now, longestWaitMs)) !== undefined;
}

function moment(now: number, longestWaitMs: number | undefined): [string, number, string | null] {
  const longest = longestWaitMs === undefined ? null : new Date(now + longestWaitMs).toISOString();
  return [new Date(now).toISOString(), now, longest];
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
