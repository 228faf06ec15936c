// A database server whose clock is set back would keep a lease that nobody gives back until the clock has caught up,
// which may be hours: one that its own node broke off, or that of a node that hangs and so still has its lock. From then
// on none lasts longer than one that is given now; whoever is at work renews his sooner than that. Every node sees to
// it for itself, since each remembers which times it has seen.
import type { Database } from "./database.ts";

/** Answers overtake each other by a little. By so much a lease may last longer than it was given for. */
const OVERTAKEN_MS = 1_000;

export class LeaseClock {
  #latestMs: number | undefined;
  readonly #database: Database;
  readonly #isTests: boolean;

  /** `isTests` when the time that decides is a test's, and that of the nodes' heartbeats is not. */
  constructor(database: Database, isTests: boolean) {
    this.#database = database;
    this.#isTests = isTests;
  }

  /** A lease was extended at this time. */
  saw(ms: number): void {
    this.#latestMs = Math.max(ms, this.#latestMs ?? 0);
  }

  /** The clock shows `ms`, and a lease that is given now lasts for `ttlMs`. What fails here is left to the next claim. */
  async heed(ms: number, ttlMs: number): Promise<void> {
    await this.#heed(ms, ttlMs).catch(() => {}); // the database's health says so; a claim that was made stays made
  }

  async #heed(ms: number, ttlMs: number): Promise<void> {
    this.#latestMs ??= await this.#latestBefore();
    if (ms >= this.#latestMs - OVERTAKEN_MS) return this.saw(ms);
    await this.#database.query({
      text: `with late as materialized (
          select id from log where holder is not null and lease_until > $1 order by id for update)
        update log set lease_until = $1 from late where log.id = late.id and lease_until > $1`,
      values: [ms + ttlMs],
    });
    this.#latestMs = ms;
  }

  /** What others saw before this node was there. */
  async #latestBefore(): Promise<number> {
    if (this.#isTests) return 0;
    const [node] = await this.#database.query<{ ms: number | null }>({
      text: "select max(heartbeat_at) as ms from node",
    });
    return node?.ms ?? 0;
  }
}
