// Which session goes on next: the longest untouched of those that can, and that no other node is just choosing.
import type { Lease } from "../store.ts";
import { decidingMs } from "./clock.ts";
import type { Context } from "./context.ts";
import { isNodeGone } from "./liveness.ts";

export async function claimSession(
  { database, node, now }: Context,
  ttlMs: number,
): Promise<{ lease: Lease; takeover: boolean } | undefined> {
  // Waiting with a holder means that its executor went without giving the lease back: others of its calls may be open.
  const [claim] = await database.query<{ id: string; epoch: number; takeover: boolean }>({
    name: "claim_session",
    text: `with clock as materialized (
        select ms, to_char(to_timestamp(ms / 1000.0) at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as iso
        from (select ${decidingMs("$3")} as ms) as time),
      chosen as materialized (
        select log.id, log.holder is not null as takeover
        from session join log on log.id = session.id, clock
        where session.status in ('queued', 'running', 'recovering', 'waiting')
          and (session.status <> 'waiting' or log.holder is not null or session.retry_at <= clock.iso)
          and (session.retry_at is null or session.retry_at <= clock.iso)
          and not log.closed
          and case when log.holder is null or log.lease_until <= clock.ms then true else ${isNodeGone("log.holder")} end
        order by log.holder is not null, session.updated_at
        limit 1 for update of log skip locked)
      update log set epoch = log.epoch + 1, holder = $1, lease_until = clock.ms + $2
      from chosen, clock where log.id = chosen.id
      returning log.id, log.epoch, chosen.takeover`,
    values: [node, ttlMs, now()],
  });
  if (!claim) return undefined;
  return { lease: { log: claim.id, holder: node, epoch: claim.epoch, ttlMs }, takeover: claim.takeover };
}
