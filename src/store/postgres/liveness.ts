// That this node lives, and which others do: a lock on a connection of its own, which PostgreSQL frees the moment the
// process or its host is gone, and a heartbeat for the case that both hang. Others claim a dead node's leases at once; a
// node that merely lost this connection keeps its leases until someone does, since only a lease's epoch decides who may
// append. When it is the server that went away, all locks are gone with it and say nothing about anyone: until every
// node has had time to come back, only a lease's own time counts.
import { setTimeout as delay } from "node:timers/promises";
import { StorageError, type NodeId } from "../store.ts";
import { NOW_MS } from "./clock.ts";
import { connectionTo } from "./database.ts";
import type { Health } from "./health.ts";
import { KeptConnection } from "./kept-connection.ts";

const HEARTBEAT_MS = 5_000;
/** Three heartbeats missed: it may be alive, but not well. */
export const SILENT_MS = 15_000;

/** How soon the others notice that one is gone. A waiting lock would tell at once, but hold back vacuum all the while. */
const LOOK_MS = 100;
/** For so many looks one that is gone is told of: what it was writing when it died stays locked for a moment. */
const TOLD_LOOKS = 10;
/** While nobody else is there. */
const LOOK_ALONE_MS = 1_000;
/** Short, since nobody can tell a node that has yet to come back from one that died meanwhile. */
const BACKOFF_MAX_MS = 250;
/** After this node's own connection was lost, or the server started: some of another's longest pauses between two tries. */
export const RETURN_MS = 4 * BACKOFF_MAX_MS;

export type NodeSelf = { id: string; host: string; pid: number; url: string | null; startedAt: number };

export type LivenessOptions = {
  url: string;
  self: NodeSelf;
  health: Health;
  /** Another node is there no more: told a few times. */
  gone: (node: NodeId) => void;
  lost: (error: unknown) => void;
  random: () => number;
  /** How long every node has to come back, after the server was away. */
  returnMs: number;
};

export class Liveness {
  readonly #options: LivenessOptions;
  readonly #connection: KeptConnection;
  readonly #heartbeat: NodeJS.Timeout;
  readonly #stop = new AbortController();
  readonly #looking: Promise<void>;
  /** How often each has been found gone. */
  #gone: ReadonlyMap<NodeId, number> = new Map();
  #known = false;
  #trustedFrom = 0;

  constructor(options: LivenessOptions) {
    this.#options = options;
    const { url, self, lost, random, returnMs } = options;
    this.#connection = new KeptConnection({
      config: connectionTo(url, self.id),
      prepare: async (client) => {
        // Heartbeats need not wait for the disk. A host that vanished without a word is noticed by the server within about ten seconds.
        await client.query(
          "set synchronous_commit = off; set tcp_keepalives_idle = 4; set tcp_keepalives_interval = 2; set tcp_keepalives_count = 3",
        );
        const { rows } = await client.query<{ locked: boolean; up_ms: number }>({
          text: `select pg_try_advisory_lock(${nodeLock("$1")}) as locked,
            date_part('epoch', clock_timestamp() - pg_postmaster_start_time()) * 1000 as up_ms`,
          values: [self.id],
        });
        const [server] = rows;
        // Right after a loss it may be our own former connection that the server has not given up yet.
        if (!server?.locked)
          throw new StorageError("busy", `node ${self.id} is already at work on this database`);
        await client.query({
          text: `insert into node (id, host, pid, url, started_at, heartbeat_at) values ($1, $2, $3, $4, $5, ${NOW_MS})
            on conflict (id) do update set host = $2, pid = $3, url = $4, started_at = $5, heartbeat_at = ${NOW_MS}`,
          values: [self.id, self.host, self.pid, self.url, self.startedAt],
        });
        // What an earlier process of this name held, nobody holds.
        if (!this.#known)
          await client.query({
            text: `with held as materialized (select id from log where holder = $1 order by id for update)
              update log set lease_until = 0 from held where log.id = held.id`,
            values: [self.id],
          });
        this.#trustedFrom = performance.now() + returnMs - (this.#known ? 0 : Math.max(0, server.up_ms));
        this.#known = true;
      },
      lost,
      random,
      backoffMaxMs: BACKOFF_MAX_MS,
    });
    this.#heartbeat = setInterval(() => void this.#beat(), HEARTBEAT_MS).unref();
    this.#looking = this.#keepLooking();
  }

  /** Whether a lock that nobody holds means that its node is gone. */
  trustsLocks(): boolean {
    return this.#connection.isUp() && performance.now() >= this.#trustedFrom;
  }

  opened(): Promise<void> {
    return this.#connection.opened();
  }

  async close(): Promise<void> {
    clearInterval(this.#heartbeat);
    this.#stop.abort();
    await this.#looking;
    const { self } = this.#options;
    await this.#connection.tell({ text: "delete from node where id = $1", values: [self.id] });
    await this.#connection.close();
  }

  async #keepLooking(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const alone = await this.#look();
      await delay(alone ? LOOK_ALONE_MS : LOOK_MS, undefined, { signal, ref: false }).catch(() => {}); // stopped
    }
  }

  /** Whether there is nobody else to look for, as far as is known. */
  async #look(): Promise<boolean> {
    const { self, gone, health } = this.#options;
    const text = `select id, ${isNodeGone("id")} as gone from node where id <> $1`;
    try {
      const nodes = await this.#connection.ask<{ id: NodeId; gone: boolean }>({
        name: "nodes_gone",
        text,
        values: [self.id],
      });
      if (!nodes) return true;
      if (!this.trustsLocks()) return false;
      const looks = nodes
        .filter((node) => node.gone)
        .map(({ id }) => [id, (this.#gone.get(id) ?? 0) + 1] as const);
      this.#gone = new Map(looks);
      for (const [id, times] of looks) if (times <= TOLD_LOOKS) gone(id);
      return nodes.length === looks.filter(([, times]) => times > TOLD_LOOKS).length;
    } catch (error) {
      health.failed(error);
      return true; // and the next look tries again
    }
  }

  async #beat(): Promise<void> {
    const { self, health } = this.#options;
    const text = `update node set heartbeat_at = ${NOW_MS} where id = $1`;
    try {
      if (await this.#connection.tell({ name: "beat", text, values: [self.id] })) health.wrote();
    } catch (error) {
      health.failed(error); // and the next beat tries again
    }
  }
}

/** `id` is SQL for a node's id. */
export function nodeLock(id: string): string {
  return `hashtextextended('holdfast node ' || ${id}, 0)`;
}

/** Whether nobody holds a node's lock: shared, so that those who ask at the same moment don't see each other. */
export function isNodeGone(id: string): string {
  return `pg_try_advisory_xact_lock_shared(${nodeLock(id)})`;
}
