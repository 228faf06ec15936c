// Which sessions go on next: of those that can, and that no other node is just choosing, those that wait longest.
import type { Claim, LogId, LostSession, WorkPlace } from "../store.ts";
import { decidingMs, isoOf } from "./clock.ts";
import type { Context } from "./context.ts";
import { isNodeGone } from "./liveness.ts";
import { isHostLost } from "./session-host.ts";
import { IS_ACTIVE } from "./session-status.ts";
import { textArray } from "./wire.ts";

export type ClaimWish = {
  ttlMs: number;
  where: WorkPlace;
  longestWaitMs: number | undefined;
  except: readonly LogId[];
};

/** In the order of the wishes: for each a claim of its own, while there is something to claim. */
export async function claimSessions(
  context: Context,
  wishes: readonly ClaimWish[],
): Promise<(Claim | undefined)[]> {
  const claims: (Claim | undefined)[] = wishes.map(() => undefined);
  const alike = Map.groupBy(wishes.keys(), (n) => JSON.stringify(wishes[n]));
  for (const numbers of alike.values()) {
    const [wish] = numbers.map((n) => wishes[n]);
    const got = wish ? await claimAlike(context, wish, numbers.length) : [];
    got.forEach((claim, n) => (claims[numbers[n] ?? -1] = claim));
  }
  return claims;
}

async function claimAlike(
  { database, node, host, now, leaseClock, trustsLocks }: Context,
  { ttlMs, where: { sharedProfiles }, longestWaitMs, except }: ClaimWish,
  most: number,
): Promise<Claim[]> {
  // A holder means that its executor works on it, or went without giving the lease back: then more may be left to do
  // than the row tells.
  const looked = await database.query<{ at: number } & (Chosen | { [name in keyof Chosen]: null })>({
    name: "claim_sessions",
    text: `with clock as materialized (
        select ms, ${isoOf("ms")} as iso, ${isoOf("ms + $8::bigint")} as longest
        from (select ${decidingMs("$3")} as ms) as time),
      candidate as materialized (
        select id from session where ${IS_ACTIVE}
        union
        select id from log where holder is not null and kind = 'session'),
      chosen as materialized (
        select log.id, log.holder is not null as takeover, coalesce(log.holder <> $1, false) as crash
        from candidate join log on log.id = candidate.id join session on session.id = log.id, clock
        where not log.closed and log.id <> all($9::text[])
          and (log.holder is not null or log.seq > log.rested_seq
            or session.retry_at <= clock.iso or session.retry_at > clock.longest)
          and (session.host is null or session.host = $4
            or (session.profile = any($5::text[]) and $6::boolean and ${isHostLost("session.host")} and not exists (
              select from process
              where process.session = session.id and process.status = 'running' and process.host <> $4)))
          and case
            when log.holder is null or log.lease_until <= clock.ms then true
            when log.holder = $1 then false
            else $6::boolean and ${isNodeGone("log.holder")} end
        order by ${WAITS_SINCE}
        limit $7 for update of log skip locked),
      placed as (
        update session set host = $4 from chosen where session.id = chosen.id and session.host is distinct from $4),
      claimed as (
        update log set epoch = log.epoch + 1, holder = $1, lease_until = clock.ms + $2, waits_since = clock.ms
        from chosen, clock where log.id = chosen.id
        returning log.id, log.epoch, chosen.takeover, chosen.crash)
      select clock.ms as at, claimed.* from clock left join claimed on true`,
    values: [
      node,
      ttlMs,
      now(),
      host,
      textArray(sharedProfiles),
      trustsLocks(),
      most,
      longestWaitMs ?? null,
      textArray(except),
    ],
  });
  for (const { at } of looked.slice(0, 1)) await leaseClock.heed(at, ttlMs);
  return looked.flatMap(({ at, ...chosen }) => {
    if (chosen.id === null) return []; // there was none
    const { id, epoch, takeover, crash } = chosen;
    return [{ lease: { log: id, holder: node, epoch, ttlMs }, takeover, crash, atMs: at }];
  });
}

/** One whose time to try again has come waits only from then on. */
const WAITS_SINCE = `greatest(log.waits_since, session.created_at,
          case when session.retry_at <= clock.iso then extract(epoch from session.retry_at::timestamptz) * 1000 end)`;

type Chosen = { id: string; epoch: number; takeover: boolean; crash: boolean };

/** Wherever they were at work: that nobody goes on with them concerns every reader. */
export async function lostSessions(
  { database, node, trustsLocks }: Context,
  limit: number,
): Promise<LostSession[]> {
  if (!trustsLocks()) return [];
  return database.query<LostSession>({
    name: "lost_sessions",
    text: `with holder as materialized (
        select distinct holder as id from log where holder is not null and kind = 'session' and holder <> $1),
      gone as materialized (select id from holder where ${isNodeGone("holder.id")})
      select session.id as session, log.epoch, log.seq
      from gone join log on log.holder = gone.id join session on session.id = log.id
      where not log.closed and session.turn is not null and not session.recovering
      limit $2`,
    values: [node, limit],
  });
}
