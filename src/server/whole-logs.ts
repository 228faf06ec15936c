// What is sent to a session whose log is damaged would wait behind the damage for ever: no executor can read so far. So
// a log is read before something is admitted to it, though not each time: what was whole a moment ago is taken for it.
import { START, type Position } from "../session/position.ts";
import type { LogId, Store } from "../store/store.ts";

const TRUSTED_MS = 60_000;
const KEPT_MAX = 1_000;
const PAGE_BYTES = 256 * 1024;

export class WholeLogs {
  readonly #store: Pick<Store, "page">;
  readonly #now: () => number;
  /** Until when each is taken for whole, those read last at the end. */
  readonly #trusted = new Map<LogId, number>();

  constructor(store: Pick<Store, "page">, now: () => number) {
    this.#store = store;
    this.#now = now;
  }

  /** Throws DamagedEvent. */
  async check(log: LogId): Promise<void> {
    const leftMs = (this.#trusted.get(log) ?? 0) - this.#now();
    if (leftMs > 0 && leftMs <= TRUSTED_MS) return; // more than that, and the clock was set back
    this.#trusted.delete(log);
    for (
      let after: Position | undefined = START;
      after !== undefined;
      after = await this.#readOn(log, after)
    );
    this.#trusted.set(log, this.#now() + TRUSTED_MS);
    if (this.#trusted.size > KEPT_MAX)
      for (const oldest of this.#trusted.keys().take(1)) this.#trusted.delete(oldest);
  }

  /** Where the next page begins; undefined when there is none. */
  async #readOn(log: LogId, after: Position): Promise<Position | undefined> {
    const { last, upToDate } = await this.#store.page(log, after, PAGE_BYTES);
    return upToDate ? undefined : last;
  }
}
