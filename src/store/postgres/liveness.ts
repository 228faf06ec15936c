// That this node lives: a lock on a connection of its own, which PostgreSQL frees the moment the process or its host
// is gone, and a heartbeat for the case that both hang. Others claim a dead node's leases at once; a node that merely
// lost this connection keeps its leases until someone does, since only a lease's epoch decides who may append.
import { StorageError } from "../store.ts";
import { NOW_MS } from "./clock.ts";
import { connectionTo } from "./database.ts";
import type { Health } from "./health.ts";
import { KeptConnection } from "./kept-connection.ts";

const HEARTBEAT_MS = 5_000;
/** Three heartbeats missed: it may be alive, but not well. */
export const SILENT_MS = 15_000;

export type NodeSelf = { id: string; host: string; pid: number; url: string | null; startedAt: number };

export type LivenessOptions = {
  url: string;
  self: NodeSelf;
  health: Health;
  lost: (error: unknown) => void;
  random: () => number;
};

export class Liveness {
  readonly #options: LivenessOptions;
  readonly #connection: KeptConnection;
  readonly #heartbeat: NodeJS.Timeout;
  #known = false;

  constructor(options: LivenessOptions) {
    this.#options = options;
    const { url, self, lost, random } = options;
    this.#connection = new KeptConnection({
      config: connectionTo(url, self.id),
      prepare: async (client) => {
        // Heartbeats need not wait for the disk. A host that vanished without a word is noticed by the server within about ten seconds.
        await client.query(
          "set synchronous_commit = off; set tcp_keepalives_idle = 4; set tcp_keepalives_interval = 2; set tcp_keepalives_count = 3",
        );
        const { rows } = await client.query<{ locked: boolean }>({
          text: `select pg_try_advisory_lock(${nodeLock("$1")}) as locked`,
          values: [self.id],
        });
        // Right after a loss it may be our own former connection that the server has not given up yet.
        if (!rows[0]?.locked)
          throw new StorageError("busy", `node ${self.id} is already at work on this database`);
        await client.query({
          text: `insert into node (id, host, pid, url, started_at, heartbeat_at) values ($1, $2, $3, $4, $5, ${NOW_MS})
            on conflict (id) do update set host = $2, pid = $3, url = $4, started_at = $5, heartbeat_at = ${NOW_MS}`,
          values: [self.id, self.host, self.pid, self.url, self.startedAt],
        });
        // What an earlier process of this name held, nobody holds.
        if (!this.#known)
          await client.query({ text: "update log set lease_until = 0 where holder = $1", values: [self.id] });
        this.#known = true;
      },
      lost,
      random,
    });
    this.#heartbeat = setInterval(() => void this.#beat(), HEARTBEAT_MS).unref();
  }

  opened(): Promise<void> {
    return this.#connection.opened();
  }

  async close(): Promise<void> {
    clearInterval(this.#heartbeat);
    const { self } = this.#options;
    await this.#connection.tell({ text: "delete from node where id = $1", values: [self.id] });
    await this.#connection.close();
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
