import type { Status } from "../../session/row.ts";
import type { LogId, Node, NodeId, Store } from "../store.ts";
import type { Database } from "./database.ts";
import type { Writing } from "./writing.ts";

const LEASES_MAX = 1_000;

export function readOverview(database: Database): Awaited<ReturnType<Store["overview"]>> {
  const sessions: Record<Status, number> = {
    idle: 0,
    queued: 0,
    running: 0,
    waiting: 0,
    recovering: 0,
    ended: 0,
  };
  const counts = database.tuples<[Status, number]>("select status, count(*) from session group by status");
  for (const [status, count] of counts) sessions[status] = count;
  const [asks] = database.tuple<[number | null]>(
    "select sum(approvals + questions) from session where approvals + questions > 0",
  ) ?? [0];
  const leases = database
    .all<{ log: LogId; holder: NodeId; until: number }>(
      `select id as log, holder, lease_until as until from log where holder is not null and not closed and lease_until > 0 order by id limit ${LEASES_MAX}`,
    )
    .map(({ until, ...lease }) => ({ ...lease, until: new Date(until).toISOString() }));
  return { sessions, asks: asks ?? 0, leases };
}

type Self = Omit<Node, "startedAt" | "alive"> & { startedAt: number };

export function joinNode({ database }: Writing, { id, host, pid, url, startedAt }: Self): void {
  database.run(
    "insert or replace into node (id, host, pid, url, started_at) values (?, ?, ?, ?, ?)",
    id,
    host,
    pid,
    url,
    startedAt,
  );
  // A file has one owner: what runs of it is this host's to watch, whatever host began it.
  database.run("update process set host = ? where status = 'running' and host is not ?", host, host);
}

/** A file has one owner: every node but this one is gone. */
export function readNodes(database: Database, self: NodeId): Node[] {
  return database
    .all<Omit<Node, "startedAt" | "alive"> & { started_at: number }>(
      "select id, host, pid, url, started_at from node order by started_at, id",
    )
    .map(({ started_at, ...node }) => ({
      ...node,
      startedAt: new Date(started_at).toISOString(),
      alive: node.id === self,
    }));
}
