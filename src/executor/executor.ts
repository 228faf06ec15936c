// The service: claims what can go on, drains several sessions at once up to a cap, and lets go of all of them when the
// server is to stop. Which session comes next is the database's choice; wakes only make it sooner. One that has more to do
// after its turn makes way for whoever waits.
import type { Position } from "../session/position.ts";
import {
  DamagedEvent,
  StorageError,
  type Claim,
  type Lease,
  type LogId,
  type WorkPlace,
} from "../store/store.ts";
import { drain, type DrainContext } from "./drain.ts";
import { hasNews, tellGivenUp } from "./give-up.ts";
import { tellLost } from "./tell-lost.ts";

export type ExecutorOptions = { maxTurns: number; leaseMs: number; pollMs: number; place?: WorkPlace };

/** A session that is left alone until something is appended to it, or to the log that is damaged: an origin's, perhaps. */
type Left = {
  log: LogId;
  /** Only what others than executors append behind this counts. */
  after?: Position;
};

const CLAIMS_MAX = 64;
const CLAIMS_GROWTH = 4;
/** One too many, and the first is looked at once more. */
const LEFT_MAX = 1_000;
/** So often in a row a session may fail over something that is no fault of the storage's. */
const FAULTS_MAX = 3;

export class Executor {
  readonly #context: DrainContext;
  readonly #options: ExecutorOptions;
  readonly #shutdown = new AbortController();
  readonly #drains = new Set<Promise<void>>();
  /** What its own drains write, words by the hundred, is no reason to look for work. */
  readonly #held = new Set<LogId>();
  readonly #left = new Map<LogId, Left>();
  readonly #faults = new Map<LogId, number>();
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
      for await (const logs of this.#context.store.changes(signal)) {
        for (const [session, left] of this.#left)
          if (logs.has(session) || logs.has(left.log)) await this.#rouse(session, left);
        if (logs.values().some((log) => !this.#held.has(log))) this.#look();
      }
    })();
  }

  /** No new work; what runs is broken off with a fact, commands go on by themselves, leases are given back. */
  async stop(): Promise<void> {
    this.#shutdown.abort();
    await this.#claiming;
    while (this.#drains.size > 0) await Promise.all(this.#drains); // one that makes way may just claim another
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

  /** One at first, and several times as many each time that all were found: after a crash everything waits at once. */
  async #claimAll(): Promise<void> {
    const { store, log } = this.#context;
    const { maxTurns } = this.#options;
    try {
      for (
        let asked = 1;
        !this.#shutdown.signal.aborted;
        asked = Math.min(CLAIMS_GROWTH * asked, CLAIMS_MAX)
      ) {
        const wanted = Math.min(asked, maxTurns - this.#drains.size);
        if (wanted <= 0 || (await this.#claim(wanted)) < wanted) break;
      }
      if (this.#lostUntold && !this.#shutdown.signal.aborted) await tellLost(store);
      this.#lostUntold = false;
    } catch (error) {
      log.error({ err: error }, "no session could be claimed; trying again");
    }
  }

  /** How many it got; all of them have begun, even if another could not be claimed. */
  async #claim(wanted: number): Promise<number> {
    const { leaseMs, place } = this.#options;
    const { store, limits } = this.#context;
    const except = [...this.#left.keys()];
    const claims = Array.from({ length: wanted }, () =>
      store.claimSession(leaseMs, place, limits.maxWaitMs, except),
    );
    const settled = await Promise.allSettled(claims);
    let got = 0;
    for (const { value: claimed } of settled.filter((claim) => claim.status === "fulfilled"))
      if (claimed) {
        got += 1;
        this.#begin(claimed);
      }
    for (const failed of settled) if (failed.status === "rejected") throw failed.reason;
    return got;
  }

  /**
   * Whether another got the place of one whose turn is over: the one that waits longest, claimed before the place is given
   * up, so that nobody gives it up for nothing. Until the lease is back there is one more than may be, and it does nothing.
   */
  async #makeWay(): Promise<boolean> {
    const { signal } = this.#shutdown;
    if (signal.aborted || this.#drains.size < this.#options.maxTurns) return false;
    try {
      return (await this.#claim(1)) > 0;
    } catch (error) {
      this.#context.log.error({ err: error }, "no session could be claimed in another's place");
      return false;
    }
  }

  #begin(claim: Claim): void {
    const { lease } = claim;
    this.#held.add(lease.log);
    const done = drain(this.#context, claim, this.#shutdown.signal, () => this.#makeWay())
      .then(() => void this.#faults.delete(lease.log))
      .catch((error: unknown) => this.#brokeOff(lease, error))
      .finally(() => {
        this.#drains.delete(done);
        this.#held.delete(lease.log);
        this.#look(); // a place is free
      });
    this.#drains.add(done);
  }

  /** The lease is left to run out: whoever claims next goes on from the log, and knows that something was left. */
  async #brokeOff(lease: Lease, error: unknown): Promise<void> {
    const { log, damaged } = this.#context;
    const session = lease.log;
    if (error instanceof DamagedEvent) {
      remember(this.#left, session, { log: error.log });
      log.error(
        { err: error, session },
        "a session can't be gone on with over a damaged log: it is left alone",
      );
      damaged?.(error);
      return;
    }
    const faults = error instanceof StorageError ? 0 : (this.#faults.get(session) ?? 0) + 1;
    if (faults > 0) remember(this.#faults, session, faults);
    if (faults < FAULTS_MAX) {
      log.error({ err: error, session }, "a session's work broke off; it will be taken up again");
      return;
    }
    log.error({ err: error, session }, `a session's work broke off ${faults} times: it is left alone`);
    await this.#giveUp(lease, error);
  }

  async #giveUp(lease: Lease, error: unknown): Promise<void> {
    const { store, log } = this.#context;
    const session = lease.log;
    try {
      const after = await tellGivenUp(store, lease, error);
      if (after === undefined) return;
      const left = { log: session, after };
      remember(this.#left, session, left);
      await this.#rouse(session, left); // what came before it was remembered woke nobody
    } catch (untold) {
      log.error({ err: untold, session }, "a session that is left alone could not be told so");
      if (!(untold instanceof StorageError)) remember(this.#left, session, { log: session });
    }
  }

  async #rouse(session: LogId, { after }: Left): Promise<void> {
    const { store, log } = this.#context;
    const isNews =
      after === undefined ||
      (await hasNews(store, session, after).catch((error: unknown) => {
        log.error({ err: error, session }, "what came to a session that was left alone can't be read");
        return true; // whoever tries to go on with it tells why not
      }));
    if (isNews) this.#left.delete(session);
  }
}

function remember<T>(map: Map<LogId, T>, log: LogId, value: T): void {
  map.set(log, value);
  if (map.size > LEFT_MAX) for (const first of map.keys().take(1)) map.delete(first);
}
