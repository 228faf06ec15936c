// What is done in the writer's thread after the fact and a slice at a time, so that nobody waits for it, until nothing
// of it is left.
import { setTimeout as delay } from "node:timers/promises";

export type DutyOptions = {
  /** False when nothing is left to do. */
  slice: () => Promise<boolean>;
  /** The next occasion goes on with it. */
  failed: (error: unknown) => void;
  /** How long what is to be done may gather. */
  restMs?: number;
};

export class Duty {
  readonly #options: DutyOptions;
  readonly #life = new AbortController();
  #working: Promise<void> | undefined;
  #again = false;

  constructor(options: DutyOptions) {
    this.#options = options;
  }

  start(): void {
    this.#again = true;
    this.#working ??= this.#work();
  }

  async stop(): Promise<void> {
    this.#life.abort();
    await this.#working;
  }

  async #work(): Promise<void> {
    const { slice, failed, restMs = 0 } = this.#options;
    const { signal } = this.#life;
    while (this.#again && !signal.aborted) {
      if (restMs > 0) await delay(restMs, undefined, { signal, ref: false }).catch(() => {}); // it is to stop
      this.#again = false;
      try {
        while (!signal.aborted && (await slice()));
      } catch (error) {
        failed(error);
      }
    }
    this.#working = undefined; // at once: who starts it from now on starts it anew
  }
}
