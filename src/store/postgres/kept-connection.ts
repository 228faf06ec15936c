// A connection of its own that comes back: after a loss it is opened again, at once at first, then ever later up to a
// bound, and never at the same moment as that of every other node.
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { LostConnection, storageFault } from "./fault.ts";

const BACKOFF_MIN_MS = 50;
const BACKOFF_MAX_MS = 5_000;
const GOODBYE_MS = 500;

export type Kept = {
  config: pg.ClientConfig;
  /** What makes a new connection useful; when it throws, the connection is given up and tried again. */
  prepare: (client: pg.Client) => Promise<void>;
  /** It was there and is no more, or could not be had. */
  lost: (error: unknown) => void;
  random: () => number;
  /** The longest pause between two tries. */
  backoffMaxMs?: number;
};

export class KeptConnection {
  #client: pg.Client | undefined;
  #drop: ((error: Error) => void) | undefined;
  #last: Promise<unknown> = Promise.resolve();
  readonly #stop = new AbortController();
  readonly #kept: Kept;
  readonly #running: Promise<void>;
  readonly #first = Promise.withResolvers<void>();

  constructor(kept: Kept) {
    this.#kept = kept;
    this.#first.promise.catch(() => {}); // whoever opens us may not ask
    this.#running = this.#keep();
  }

  /** Rejects with the first failure, after which it is still tried again. */
  opened(): Promise<void> {
    return this.#first.promise;
  }

  isUp(): boolean {
    return this.#client !== undefined;
  }

  /** False when there is no connection, or it was lost over this statement. */
  async tell(statement: pg.QueryConfig): Promise<boolean> {
    return (await this.ask(statement)) !== undefined;
  }

  /** One at a time. Undefined when there is no connection, or it was lost over this statement. */
  ask<Row extends object>(statement: pg.QueryConfig): Promise<Row[] | undefined> {
    const asked = this.#last.then(() => this.#ask<Row>(statement));
    this.#last = asked.catch(() => {}); // whoever asked is told; the next is not concerned
    return asked;
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #ask<Row extends object>(statement: pg.QueryConfig): Promise<Row[] | undefined> {
    const client = this.#client;
    if (!client) return undefined;
    try {
      return (await client.query<Row>(statement)).rows;
    } catch (error) {
      const fault = storageFault(error);
      if (!(fault instanceof LostConnection)) throw fault;
      this.#drop?.(fault);
      return undefined;
    }
  }

  async #keep(): Promise<void> {
    const { signal } = this.#stop;
    for (let failures = 0; !signal.aborted; failures++) {
      const client = new pg.Client(this.#kept.config);
      const over = Promise.withResolvers<unknown>();
      client.on("error", over.resolve);
      client.on("end", () => over.resolve(new Error("Connection terminated")));
      signal.addEventListener("abort", over.resolve, { once: true });
      let error: unknown;
      try {
        await client.connect();
        await this.#kept.prepare(client);
        failures = 0;
        this.#client = client;
        this.#drop = over.resolve;
        this.#first.resolve();
        error = await over.promise;
      } catch (failed) {
        error = failed;
      }
      this.#client = undefined;
      signal.removeEventListener("abort", over.resolve);
      await goodbye(client);
      if (signal.aborted) return;
      const fault = storageFault(error);
      this.#first.reject(fault);
      this.#kept.lost(fault);
      await pause(backoffMs(failures, this.#kept), signal);
    }
  }
}

/** Up to half of it is chance. */
function backoffMs(failures: number, { random, backoffMaxMs = BACKOFF_MAX_MS }: Kept): number {
  const whole = Math.min(backoffMaxMs, BACKOFF_MIN_MS * 2 ** Math.min(failures, 16));
  return whole * (0.5 + random() / 2);
}

/** A server that no longer answers would keep `end` waiting for good. */
export async function goodbye(client: pg.Client): Promise<void> {
  await Promise.race([client.end(), delay(GOODBYE_MS, undefined, { ref: false })]);
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal, ref: false }).catch(() => {}); // stopped: the loop sees it
}
