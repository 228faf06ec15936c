// Which session goes on next: the longest untouched of those that can.
import type { Lease } from "../store.ts";
import { claimLease } from "./lease.ts";
import type { Writing } from "./writing.ts";

/** How many sessions are looked at: those that another drain of this process holds are passed over one by one. */
const LOOKED_AT_MAX = 256;

export function claimSession(
  writing: Writing,
  holder: string,
  ttlMs: number,
  now: number,
): { lease: Lease; takeover: boolean } | undefined {
  // Waiting with a holder means that its executor went without giving the lease back: others of its calls may be open.
  const runnable = writing.database.tuples<[string]>(
    `select session.id from session join log on log.key = session.log
     where session.status in ('queued', 'running', 'recovering', 'waiting')
       and (session.status <> 'waiting' or log.holder is not null or session.retry_at <= ?1)
       and (session.retry_at is null or session.retry_at <= ?1)
     order by log.holder is not null, session.updated_at limit ?2`,
    new Date(now).toISOString(),
    LOOKED_AT_MAX,
  );
  for (const [id] of runnable) {
    const claimed = claimLease(writing, id, holder, ttlMs, now);
    if (claimed.ok) return { lease: claimed.lease, takeover: claimed.takeover };
  }
  return undefined;
}
