// Durable timers: rows of the store that fall due, each acted upon until it is cleared. A node that dies over one leaves it
// to the next look, here or on another node; what a timer does is keyed, so it is done once.
import type { Clock } from "../executor/clock.ts";
import type { Store, Timer } from "../store/store.ts";
import { NowAndThen } from "./now-and-then.ts";

export type TimersOptions = {
  store: Pick<Store, "dueTimers" | "clearTimer">;
  clock: Clock;
  pollMs: number;
  /** False when the key is none of its own: such a timer waits for whoever knows it. */
  act: (timer: Timer) => Promise<boolean>;
  log: { error(detail: object, message: string): void };
};

const AT_ONCE = 100;

export class Timers {
  readonly #options: TimersOptions;
  readonly #looks: NowAndThen;

  constructor(options: TimersOptions) {
    const { clock, pollMs, log } = options;
    this.#options = options;
    this.#looks = new NowAndThen({
      clock,
      everyMs: pollMs,
      look: () => this.#look(),
      failed: (error) => log.error({ err: error }, "timers could not be looked at; trying again"),
    });
  }

  start(): void {
    this.#looks.start();
  }

  stop(): Promise<void> {
    return this.#looks.stop();
  }

  async #look(): Promise<void> {
    const { store, act, log } = this.#options;
    for (const timer of await store.dueTimers(AT_ONCE))
      try {
        if (await act(timer)) await store.clearTimer(timer.key);
      } catch (error) {
        log.error({ err: error, timer: timer.key }, "a timer could not be acted upon; trying again");
      }
  }
}
