// Sessions that could go on, if a node of their host were there: nobody else may, until a person says so.
import type { StrandedSession } from "../store.ts";
import { decidingMs, isoOf, NOW_MS } from "./clock.ts";
import { KEEPER_SCOPE } from "./command.ts";
import type { Context } from "./context.ts";
import { SILENT_MS } from "./liveness.ts";
import { isHostLost } from "./session-host.ts";
import { IS_ACTIVE } from "./session-status.ts";

/**
 * A host whose node starts again is back before SILENT_MS are over. One that was killed left its last heartbeat; one that
 * was stopped in order left nothing, but gave its leases back, from when on their sessions wait.
 */
export async function strandedSessions(
  { database, host, now, trustsLocks }: Context,
  limit: number,
): Promise<StrandedSession[]> {
  if (!trustsLocks()) return [];
  return database.query<StrandedSession>({
    name: "stranded_sessions",
    text: `with clock as materialized (
        select ms, ${isoOf("ms")} as iso from (select ${decidingMs("$1")} as ms) as time),
      elsewhere as materialized (select distinct host from session where ${IS_ACTIVE} and host <> $2),
      lost as materialized (
        select host from elsewhere
        where not exists (
            select from node where node.host = elsewhere.host and node.heartbeat_at > ${NOW_MS} - ${SILENT_MS})
          and ${isHostLost("elsewhere.host")}),
      found as (
        select session.id as session, log.epoch, log.seq, session.host,
          session.turn is not null and not session.recovering as unsaid,
          'stranded:' || session.id || ':' || log.epoch as key
        from lost join session on session.host = lost.host join log on log.id = session.id, clock
        where ${IS_ACTIVE} and not log.closed
          and (log.holder is not null or (
            (log.seq > log.rested_seq or session.retry_at <= clock.iso) and log.waits_since <= clock.ms - ${SILENT_MS})))
      select * from found
      where not exists (select from command where scope = '${KEEPER_SCOPE}' and command.key = found.key)
      limit $3`,
    values: [now(), host, limit],
  });
}
