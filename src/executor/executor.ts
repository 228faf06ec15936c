// The service: claims what can go on, drains several sessions at once up to a cap, and lets go of all of them when the
// server is to stop. Which session comes next is the database's choice; wakes only make it sooner.
import type { Claim, LogId, WorkPlace } from "../store/store.ts";
import { drain, type DrainContext } from "./drain.ts";
import { tellLost } from "./tell-lost.ts";

export type ExecutorOptions = { maxTurns: number; leaseMs: number; pollMs: number; place?: WorkPlace };

export class Executor {
  readonly #context: DrainContext;
  readonly #options: ExecutorOptions;
  readonly #shutdown = new AbortController();
  readonly #drains = new Set<Promise<void>>();
  /** What its own drains write, words by the hundred, is no reason to look for work. */
  readonly #held = new Set<LogId>();
  #claiming: Promise<void> | undefined;
  #again = false;
  /** Looked for at each poll, once all was claimed that could be. */
  #lostUntold = true;
  #service: Promise<unknown> | undefined;

  constructor(context: DrainContext, options: ExecutorOptions) {
    this.#context = context;
    this.#options = options;
  }

  /** How many sessions it works on now. */
  get active(): number {
    return this.#drains.size;
  }

  start(): void {
    const { signal } = this.#shutdown;
    this.#poll();
    this.#service = (async () => {
      this.#look();
      for await (const logs of this.#context.store.changes(signal))
        if (logs.values().some((log) => !this.#held.has(log))) this.#look();
    })();
  }

  /** No new work; what runs is broken off with a fact, commands go on by themselves, leases are given back. */
  async stop(): Promise<void> {
    this.#shutdown.abort();
    await this.#claiming;
    await Promise.all(this.#drains);
    await this.#service;
  }

  #poll(): void {
    const { signal } = this.#shutdown;
    const cancel = this.#context.clock.after(this.#options.pollMs, () => {
      signal.removeEventListener("abort", cancel);
      this.#lostUntold = true;
      this.#look();
      this.#poll();
    });
    signal.addEventListener("abort", cancel, { once: true });
  }

  /** One look at a time; one that is asked for meanwhile follows. */
  #look(): void {
    if (this.#claiming) {
      this.#again = true;
      return;
    }
    this.#again = false;
    this.#claiming = this.#claimAll().finally(() => {
      this.#claiming = undefined;
      if (this.#again && !this.#shutdown.signal.aborted) this.#look();
    });
  }

  async #claimAll(): Promise<void> {
    const { store, log } = this.#context;
    try {
      while (!this.#shutdown.signal.aborted && this.#drains.size < this.#options.maxTurns) {
        const { leaseMs, place } = this.#options;
        const claimed = await store.claimSession(leaseMs, place);
        if (!claimed) break;
        this.#begin(claimed);
      }
      if (this.#lostUntold && !this.#shutdown.signal.aborted) await tellLost(store);
      this.#lostUntold = false;
    } catch (error) {
      log.error({ err: error }, "no session could be claimed; trying again");
    }
  }

  #begin(claim: Claim): void {
    const { log } = this.#context;
    const { lease } = claim;
    this.#held.add(lease.log);
    const done = drain(this.#context, claim, this.#shutdown.signal)
      .catch((error: unknown) => {
        // The lease is left to run out: whoever claims next goes on from the log.
        log.error(
          { err: error, session: lease.log },
          "a session's work broke off; it will be taken up again",
        );
      })
      .finally(() => {
        this.#drains.delete(done);
        this.#held.delete(lease.log);
        this.#look(); // a place is free
      });
    this.#drains.add(done);
  }
}
