// A look that is taken at the start, at every beat and whenever it is asked for: one at a time, and one that is asked for
// meanwhile follows.
import type { Clock } from "../executor/clock.ts";

export type NowAndThenOptions = {
  clock: Clock;
  everyMs: number;
  look: () => Promise<void>;
  failed: (error: unknown) => void;
};

export class NowAndThen {
  readonly #options: NowAndThenOptions;
  #looking: Promise<void> | undefined;
  #again = false;
  #over = false;
  #cancel: (() => void) | undefined;

  constructor(options: NowAndThenOptions) {
    this.#options = options;
  }

  start(): void {
    const { clock, everyMs } = this.#options;
    this.#cancel = clock.after(everyMs, () => this.start());
    this.look();
  }

  look(): void {
    if (this.#over) return;
    this.#again = this.#looking !== undefined;
    if (this.#looking) return;
    const { look, failed } = this.#options;
    this.#looking = look()
      .catch(failed)
      .finally(() => {
        this.#looking = undefined;
        if (this.#again) this.look();
      });
  }

  /** Resolves when a look that is under way is over. */
  async stop(): Promise<void> {
    this.#over = true;
    this.#cancel?.();
    await this.#looking;
  }
}
