// Hints between nodes: "look at these logs". They ride on LISTEN and NOTIFY over a connection of their own, never in
// an append's transaction (a NOTIFY there costs five of six commits), at most one in HINT_MS, and may get lost: the
// poll stands behind them. A node that is alone sends none.
import type pg from "pg";
import type { LogId } from "../store.ts";
import type { Change } from "../wakes.ts";
import { connectionTo } from "./database.ts";
import { KeptConnection } from "./kept-connection.ts";
import { textArray } from "./wire.ts";

const CHANNEL = "holdfast";
const HINT_MS = 20;
const PROBE_MS = 10_000;
/** PostgreSQL takes 8,000 bytes. */
const PAYLOAD_MAX_BYTES = 7_000;
/** A name for each of some 3,000 logs. What is more is not named. */
const PAYLOADS_MAX = 16;
/** Of a hint without names; of a name, two quotes and a comma. */
const EMPTY_MAX_BYTES = 200;
const NAME_EXTRA_BYTES = 3;

/** `drafts` got nothing but text on its way. Without any names: too many. */
type Hint = { node: string; logs?: LogId[]; drafts?: LogId[]; revoked?: string[] };

export type HintOptions = {
  url: string;
  node: string;
  /** Another node has changed this log. */
  changed: (log: LogId, what: Change) => void;
  revoked: (id: string) => void;
  /** Hints may have been missed: look at everything that changed of late. */
  missed: () => void;
  lost: (error: unknown) => void;
  random: () => number;
};

export class Hints {
  #changed = new Map<LogId, Change>();
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
        await client.query(notification(hintsOf(options.node, [], []))); // so that others know of us at once
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

  changed(log: LogId, what: Change): void {
    if (what === "facts" || !this.#changed.has(log)) this.#changed.set(log, what);
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
    const [changed, revoked] = [[...this.#changed], [...this.#revoked]];
    this.#changed.clear();
    this.#revoked.clear();
    if (changed.length + revoked.length === 0 || this.#alone) return;
    this.#sentAt = performance.now();
    const hints = hintsOf(this.#options.node, changed, revoked);
    this.#sending = this.#connection.tell(notification(hints)).catch(this.#options.lost);
  }

  #received(payload: string | undefined): void {
    const hint = parsed(payload);
    if (hint.node === this.#options.node) return;
    this.#alone = false;
    if (!hint.logs) this.#options.missed();
    for (const log of hint.logs ?? []) this.#options.changed(log, "facts");
    for (const log of hint.drafts ?? []) this.#options.changed(log, "drafts");
    for (const id of hint.revoked ?? []) this.#options.revoked(id);
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

/** As few as hold all names. */
function hintsOf(node: string, changed: [LogId, Change][], revoked: string[]): Hint[] {
  const hints: Required<Hint>[] = [];
  let room = 0;
  const add = (kind: "logs" | "drafts" | "revoked", name: string) => {
    const bytes = Buffer.byteLength(name) + NAME_EXTRA_BYTES;
    if (room < bytes) {
      hints.push({ node, logs: [], drafts: [], revoked: [] });
      room = PAYLOAD_MAX_BYTES - EMPTY_MAX_BYTES;
    }
    hints.at(-1)?.[kind].push(name);
    room -= bytes;
  };
  for (const id of revoked) add("revoked", id);
  for (const [log, what] of changed) add(what === "facts" ? "logs" : "drafts", log);
  if (hints.length === 0) return [{ node, logs: [], drafts: [], revoked: [] }];
  return hints.length <= PAYLOADS_MAX ? hints : [{ node }];
}

function notification(hints: readonly Hint[]): pg.QueryConfig {
  const payloads = hints.map((hint) => JSON.stringify(hint));
  return {
    name: "hint",
    text: `select pg_notify('${CHANNEL}', payload) from unnest($1::text[]) as payload`,
    values: [textArray(payloads)],
  };
}
