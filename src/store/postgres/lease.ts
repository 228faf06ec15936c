// Leases: the right to append as executor. Each grant has a higher epoch, and every write names its own, so a holder
// that was slow rather than dead finds no row to write to.
import { seqOf, type Position } from "../../session/position.ts";
import type { Claimed, Lease, LogId } from "../store.ts";
import { decidingMs } from "./clock.ts";
import type { Context } from "./context.ts";
import { isNodeGone } from "./liveness.ts";

/** A lease is to be had when nobody holds it, it has run out, or its holder's process is gone: then at once. */
export async function claimLease(
  { database, node, now, leaseClock, trustsLocks }: Context,
  log: LogId,
  ttlMs: number,
): Promise<Claimed> {
  const [claim] = await database.query<{
    closed: boolean;
    takeover: boolean;
    crash: boolean;
    epoch: number | null;
    at: number;
  }>({
    name: "claim",
    text: `with old as materialized (
        select id, closed, holder, lease_until from log where id = $1 for update),
      judged as materialized (
        select id, closed, holder is not null as takeover, coalesce(holder <> $2, false) as crash,
          case
            when holder is null or lease_until <= ${decidingMs("$4")} then true
            else $5::boolean and ${isNodeGone("holder")} end as free
        from old),
      claimed as (
        update log set epoch = log.epoch + 1, holder = $2, lease_until = ${decidingMs("$4")} + $3,
          waits_since = ${decidingMs("$4")}
        from judged where log.id = judged.id and judged.free and not judged.closed
        returning log.epoch)
      select judged.closed, judged.takeover, judged.crash, claimed.epoch, ${decidingMs("$4")} as at from judged left join claimed on true`,
    values: [log, node, ttlMs, now(), trustsLocks()],
  });
  if (!claim) return { ok: false, code: "not_found" };
  const { closed, epoch, takeover, crash, at } = claim;
  await leaseClock.heed(at, ttlMs);
  if (epoch === null) return { ok: false, code: closed ? "ended" : "held" };
  return { ok: true, lease: { log, holder: node, epoch, ttlMs }, takeover, crash, atMs: at };
}

type Kept = { ok: true } | { ok: false; code: "lease_lost" };

/** One that has run out is still its holder's until somebody else claims it. */
export async function renewLease(
  { database, now, leaseClock }: Context,
  { log, holder, epoch, ttlMs }: Lease,
): Promise<Kept> {
  const [renewed] = await database.query<{ until: number }>({
    name: "renew",
    text: `update log set lease_until = ${decidingMs("$5")} + $4 where id = $1 and holder = $2 and epoch = $3
      returning lease_until as until`,
    values: [log, holder, epoch, ttlMs, now()],
  });
  if (!renewed) return { ok: false, code: "lease_lost" };
  leaseClock.saw(renewed.until - ttlMs);
  return { ok: true };
}

export async function releaseLease(
  { database, now }: Context,
  { log, holder, epoch }: Lease,
  rested?: Position,
): Promise<Kept> {
  const released = await database.query({
    name: "release",
    text: `update log set holder = null, lease_until = 0, rested_seq = $4, waits_since = ${decidingMs("$5")}
      where id = $1 and holder = $2 and epoch = $3 returning id`,
    values: [log, holder, epoch, rested === undefined ? 0 : seqOf(rested), now()],
  });
  return released.length > 0 ? { ok: true } : { ok: false, code: "lease_lost" };
}
