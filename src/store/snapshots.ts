// The duty that makes snapshots, apart from the appends that call for them: one log at a time, and for a part of the time
// only, so that whoever appends has the rest. What a crash forgets is queued again by the log's next append.
import { setTimeout as delay } from "node:timers/promises";
import type { LogId } from "./store.ts";

/** Rests so many times as long as it worked. The busier the store, the longer a snapshot takes, and the fewer are made. */
const REST_TIMES = 20;
const REST_MIN_MS = 50;
const REST_MAX_MS = 5_000;
const QUEUE_MAX = 10_000;

export class SnapshotDuty {
  #queued = new Set<LogId>();
  #working: Promise<void> | undefined;
  #stopped = new AbortController();
  readonly #make: (log: LogId, signal: AbortSignal) => Promise<void>;
  readonly #failed: (log: LogId, error: unknown) => void;

  constructor(
    make: (log: LogId, signal: AbortSignal) => Promise<void>,
    failed: (log: LogId, error: unknown) => void,
  ) {
    this.#make = make;
    this.#failed = failed;
  }

  queue(log: LogId): void {
    if (this.#stopped.signal.aborted || this.#queued.size >= QUEUE_MAX) return;
    this.#queued.add(log);
    this.#working ??= this.#work().finally(() => (this.#working = undefined));
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#working;
  }

  async #work(): Promise<void> {
    const { signal } = this.#stopped;
    for (const log of this.#queued) {
      this.#queued.delete(log);
      try {
        const from = performance.now();
        await this.#make(log, signal);
        const restMs = Math.min(REST_MAX_MS, Math.max(REST_MIN_MS, REST_TIMES * (performance.now() - from)));
        await delay(restMs, undefined, { signal, ref: false });
      } catch (error) {
        if (signal.aborted) return;
        this.#failed(log, error); // the log is as it was; its next append asks again
      }
    }
  }
}
