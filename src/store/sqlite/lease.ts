// Leases. A file has one owner process, so whoever held a lease before this process opened it is gone: opening ends
// their time, and only holders within this process are ever waited for. Nor for longer than a lease lasts, whatever
// becomes of the clock meanwhile.
import type { Claimed, Lease, LogId, Store } from "../store.ts";
import type { LogState } from "./logs.ts";
import type { Writing } from "./writing.ts";

type Held = Awaited<ReturnType<Store["renewLease"]>>;

export function claimLease(writing: Writing, id: LogId, holder: string, ttlMs: number, now: number): Claimed {
  heedClock(writing, ttlMs, now);
  const log = writing.logs.find(id);
  if (!log) return { ok: false, code: "not_found" };
  if (log.closed) return { ok: false, code: "ended" };
  if (log.holder !== null && log.leaseUntil > now) return { ok: false, code: "held" };
  const takeover = log.holder !== null;
  const crash = takeover && log.holder !== holder;
  saveLease(writing, log, holder, log.epoch + 1, now + ttlMs);
  beginWait(writing, log, now);
  return { ok: true, lease: { log: id, holder, epoch: log.epoch, ttlMs }, takeover, crash, atMs: now };
}

export function renewLease(writing: Writing, lease: Lease, now: number): Held {
  const log = holding(writing, lease);
  if (!log) return { ok: false, code: "lease_lost" };
  writing.logs.leased(now);
  saveLease(writing, log, log.holder, log.epoch, now + lease.ttlMs);
  return { ok: true };
}

export function releaseLease(
  writing: Writing,
  lease: Lease,
  restedSeq: number | undefined,
  now: number,
): Held {
  const log = holding(writing, lease);
  if (!log) return { ok: false, code: "lease_lost" };
  log.rested = log.seq === restedSeq;
  saveLease(writing, log, null, log.epoch, 0);
  writing.database.run(
    "update log set rested = ?, waits_since = ? where key = ?",
    Number(log.rested),
    now,
    log.key,
  );
  return { ok: true };
}

/** From now on, whatever comes to it meanwhile. One that is claimed waits anew if its executor dies. */
export function beginWait({ database }: Writing, { key }: LogState, now: number): void {
  database.run("update log set waits_since = ? where key = ?", now, key);
}

/**
 * A clock that was set back would keep a lease that nobody gave back until it has caught up, which may be hours. From
 * then on none lasts longer than one that is given now; whoever is at work renews his sooner than that.
 */
export function heedClock({ database, logs }: Writing, ttlMs: number, now: number): void {
  if (!logs.wentBack(now)) return;
  const until = now + ttlMs;
  database.run("update log set lease_until = ?1 where holder is not null and lease_until > ?1", until);
  logs.shortenLeases(until);
}

/** At the start of a process: nobody from before it is still there. */
export function endLeases({ database, logs }: Writing): void {
  database.run("update log set lease_until = 0 where holder is not null");
  logs.forgetAll();
}

function holding({ logs }: Writing, lease: Lease): LogState | undefined {
  const log = logs.find(lease.log);
  return log && log.holder === lease.holder && log.epoch === lease.epoch ? log : undefined;
}

function saveLease(
  { database }: Writing,
  log: LogState,
  holder: string | null,
  epoch: number,
  until: number,
): void {
  Object.assign(log, { holder, epoch, leaseUntil: until, savedLeaseUntil: until });
  database.run(
    "update log set holder = ?, epoch = ?, lease_until = ? where key = ?",
    holder,
    epoch,
    until,
    log.key,
  );
}
