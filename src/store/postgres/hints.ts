// Hints between nodes: "look at these logs". They ride on LISTEN and NOTIFY over a connection of their own, never in
// an append's transaction (a NOTIFY there costs five of six commits), at most one in HINT_MS, and may get lost: the
// poll stands behind them. A node that is alone sends none.
import type pg from "pg";
import type { LogId } from "../store.ts";
import type { Wakes } from "../wakes.ts";
import { connectionTo } from "./database.ts";
import { KeptConnection } from "./kept-connection.ts";

const CHANNEL = "holdfast";
const HINT_MS = 20;
const PROBE_MS = 10_000;
/** PostgreSQL takes 8,000 bytes. */
const PAYLOAD_MAX_BYTES = 7_000;

/** Without `logs`: too many to name. */
type Hint = { node: string; logs?: LogId[]; revoked?: string[] };

export type HintOptions = {
  url: string;
  node: string;
  wakes: Wakes;
  /** Hints may have been missed: look at everything that changed of late. */
  missed: () => void;
  lost: (error: unknown) => void;
  random: () => number;
};

export class Hints {
  #logs = new Set<LogId>();
  #revoked = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #sentAt = 0;
  #alone = true;
  #sending: Promise<unknown> = Promise.resolve();
  readonly #probe: NodeJS.Timeout;
  readonly #options: HintOptions;
  readonly #connection: KeptConnection;

  constructor(options: HintOptions) {
    this.#options = options;
    this.#connection = new KeptConnection({
      config: connectionTo(options.url, options.node),
      prepare: async (client) => {
        client.on("notification", ({ payload }) => this.#received(payload));
        await client.query("set synchronous_commit = off"); // else each would wait for the disk, and appends for it
        await client.query(`listen ${CHANNEL}`);
        await client.query(notification(options.node, [], [])); // so that others know of us at once
        options.missed();
      },
      lost: options.lost,
      random: options.random,
    });
    // One who only listens would never notice that nobody is there any more.
    const probe = () => void this.#connection.tell({ text: "select 1" }).catch(options.lost);
    this.#probe = setInterval(probe, PROBE_MS).unref();
  }

  opened(): Promise<void> {
    return this.#connection.opened();
  }

  changed(log: LogId): void {
    this.#logs.add(log);
    this.#schedule();
  }

  revoked(id: string): void {
    this.#revoked.add(id);
    this.#schedule();
  }

  /** Whether there is nobody else, as the poll found. */
  isAlone(alone: boolean): void {
    this.#alone = alone;
  }

  async close(): Promise<void> {
    clearInterval(this.#probe);
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#send();
    await this.#sending;
    await this.#connection.close();
  }

  #schedule(): void {
    if (this.#timer) return;
    const wait = Math.max(0, this.#sentAt + HINT_MS - performance.now());
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#send();
    }, wait).unref();
  }

  #send(): void {
    const statement = notification(this.#options.node, [...this.#logs], [...this.#revoked]);
    const isNews = this.#logs.size > 0 || this.#revoked.size > 0;
    this.#logs.clear();
    this.#revoked.clear();
    if (!isNews || this.#alone) return;
    this.#sentAt = performance.now();
    this.#sending = this.#connection.tell(statement).catch(this.#options.lost);
  }

  #received(payload: string | undefined): void {
    const hint = parsed(payload);
    if (hint.node === this.#options.node) return;
    this.#alone = false;
    if (!hint.logs) this.#options.missed();
    for (const log of hint.logs ?? []) this.#options.wakes.wake(log);
    for (const id of hint.revoked ?? []) this.#options.wakes.revoked(id);
  }
}

/** What somebody else may have sent on this channel is a reason to look, no more. */
function parsed(payload: string | undefined): Partial<Hint> {
  try {
    return JSON.parse(payload ?? "{}") as Partial<Hint>; // as `notification` wrote it
  } catch {
    return {};
  }
}

function notification(node: string, logs: LogId[], revoked: string[]): pg.QueryConfig {
  const whole = JSON.stringify({ node, logs, revoked } satisfies Hint);
  const payload =
    Buffer.byteLength(whole) <= PAYLOAD_MAX_BYTES ? whole : JSON.stringify({ node } satisfies Hint);
  return { name: "hint", text: `select pg_notify('${CHANNEL}', $1)`, values: [payload] };
}
