import type { Status } from "../../session/row.ts";
import type { LogId, Node, NodeId, Store } from "../store.ts";
import { NOW_MS } from "./clock.ts";
import type { Database } from "./database.ts";
import { isNodeGone, SILENT_MS } from "./liveness.ts";
import { STATUS } from "./session-status.ts";

const LEASES_MAX = 1_000;

export async function readOverview(database: Database): Promise<Awaited<ReturnType<Store["overview"]>>> {
  const [counts, leases] = await Promise.all([
    database.query<{ status: Status; count: number; asks: number }>({
      text: `select ${STATUS} as status, count(*) as count, sum(approvals + questions)::bigint as asks from session group by 1`,
    }),
    database.query<{ log: LogId; holder: NodeId; until: number }>({
      text: `select id as log, holder, lease_until as until from log where holder is not null and not closed order by id limit ${LEASES_MAX}`,
    }),
  ]);
  const sessions: Record<Status, number> = {
    idle: 0,
    queued: 0,
    running: 0,
    waiting: 0,
    recovering: 0,
    ended: 0,
  };
  for (const { status, count } of counts) sessions[status] = count;
  return {
    sessions,
    asks: counts.reduce((sum, { asks }) => sum + asks, 0),
    leases: leases.map(({ until, ...lease }) => ({ ...lease, until: new Date(until).toISOString() })),
  };
}

export async function readNodes(database: Database): Promise<Node[]> {
  const nodes = await database.query<Omit<Node, "startedAt"> & { started_at: number }>({
    text: `select id, host, pid, url, started_at,
        heartbeat_at > ${NOW_MS} - ${SILENT_MS} and not ${isNodeGone("id")} as alive
      from node order by started_at, id`,
  });
  return nodes.map(({ started_at, ...node }) => ({ ...node, startedAt: new Date(started_at).toISOString() }));
}
