// What carries every wake when hints are lost: once a second all that was touched of late, in one query whatever the
// number of readers. It is also how the store notices that its database is gone, or back.
//
// Every write to a log marks its row with the second in which it began (`touched`), and no statement lasts as long as
// OVERLAP_S, so a row that becomes visible only after its second was polled still lies in the next poll's window. What
// was seen before, or was this node's own doing, is told apart by the row's `rev`.
import { setTimeout as delay } from "node:timers/promises";
import type { LogId, NodeId } from "../store.ts";
import { NOW_S } from "./clock.ts";
import type { Database, Statement } from "./database.ts";

const POLL_MS = 1_000;
const OVERLAP_S = 15;
const PAGE_ROWS = 5_000;

/** In front of what was deleted or revoked: its id may be in use again. */
const GONE = "gone ";

/** However often it is hurried. */
const PAUSE_MIN_MS = 50;

/** One row without an id when nothing was touched. Without a `rev` it is gone. */
type Touched = { now_s: number; alone: boolean; id: string | null; rev: number | null };

export type PollOptions = {
  database: Database;
  node: NodeId;
  /** Another node has changed this log, or deleted it. */
  changed: (log: LogId) => void;
  revoked: (id: string) => void;
  /** Whether there is no other node. */
  isAlone: (alone: boolean) => void;
};

export class Poll {
  #lastS: number | null = null;
  #seen = new Map<string, number>();
  #own = new Map<LogId, number>();
  #hurry = new AbortController();
  readonly #stop = new AbortController();
  readonly #options: PollOptions;
  readonly #running: Promise<void>;

  constructor(options: PollOptions) {
    this.#options = options;
    this.#running = this.#keep();
  }

  /** This node's own change, of which whoever waits here has been told. */
  knows(log: LogId, rev: number): void {
    this.#own.set(log, rev);
  }

  /** Looks at once rather than within the second. */
  now(): void {
    this.#hurry.abort();
  }

  async close(): Promise<void> {
    this.#stop.abort();
    this.#hurry.abort();
    await this.#running;
  }

  async #keep(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      this.#hurry = new AbortController();
      await this.#look().catch(() => {}); // the database's health says so; the next look covers what this one missed
      await delay(PAUSE_MIN_MS, undefined, { signal: this.#stop.signal, ref: false }).catch(() => {}); // stopped
      await delay(POLL_MS, undefined, { signal: this.#hurry.signal, ref: false }).catch(() => {}); // hurried
    }
  }

  async #look(): Promise<void> {
    const known = this.#own;
    this.#own = new Map(); // what comes from here on this look may not see
    const seen = new Map<string, number>();
    let startedS: number | undefined;
    for (let after: LogId | null = ""; after !== null;) {
      const { database, node, isAlone } = this.#options;
      const rows: Touched[] = await database.query<Touched>(touchedSince(this.#lastS, after, node));
      startedS ??= rows[0]?.now_s;
      if (rows[0]) isAlone(rows[0].alone);
      const logs = rows.filter(({ rev }) => rev !== null);
      for (const { id, rev } of rows) if (id !== null) seen.set(rev === null ? GONE + id : id, rev ?? 0);
      after = logs.length < PAGE_ROWS ? null : (logs.at(-1)?.id ?? null);
    }
    for (const [name, rev] of seen)
      if (rev !== this.#seen.get(name) && rev !== known.get(name) && rev !== this.#own.get(name))
        this.#tell(name.startsWith(GONE) ? name.slice(GONE.length) : name);
    this.#seen = seen;
    this.#lastS = startedS ?? this.#lastS;
  }

  #tell(id: string): void {
    const { changed, revoked } = this.#options;
    if (id.startsWith("tok_") || id.startsWith("lgn_")) revoked(id);
    else changed(id);
  }
}

/** A clock that was set back is no reason to miss anything: the window begins at the earlier of the two times. */
function touchedSince(lastS: number | null, after: LogId, node: NodeId): Statement {
  return {
    name: "touched",
    text: `with clock as materialized (select ${NOW_S} as s),
      span as materialized (select least(coalesce($1::bigint, s), s) - ${OVERLAP_S} as s from clock)
      select clock.s as now_s, not exists (select from node where node.id <> $3) as alone, id, rev
      from clock left join (
        (select id, rev from log where touched >= (select s from span) and id > $2 order by id limit ${PAGE_ROWS})
        union all
        select id, null from gone where touched >= (select s from span) and $2 = ''
      ) as touched on true
      order by id`,
    values: [lastS, after, node],
  };
}
