// Logs that were found damaged. What is sent to one would wait behind the damage for ever, since no executor can read so
// far; but to read a whole log before each send would cost more the longer it is. So whoever comes upon the damage, by
// opening the session or going on with it, tells it here. It counts until a send finds the event well again.
import { formatPosition, parsePosition } from "../session/position.ts";
import { DamagedEvent, type LogId, type Store } from "../store/store.ts";

const KEPT_MAX = 1_000;

export class KnownDamage {
  readonly #store: Store;
  readonly #found = new Map<LogId, DamagedEvent>();
  #tell: (log: LogId) => void = () => {};

  constructor(store: Store) {
    this.#store = store;
  }

  /** Who is told of each log that is found. */
  tells(listener: (log: LogId) => void): void {
    this.#tell = listener;
  }

  /** Any error: only damage is kept. */
  note(error: unknown): void {
    if (!(error instanceof DamagedEvent)) return;
    const isNew = !this.#found.has(error.log);
    this.#found.set(error.log, error);
    if (this.#found.size > KEPT_MAX)
      for (const oldest of this.#found.keys().take(1)) this.#found.delete(oldest);
    if (isNew) this.#tell(error.log);
  }

  has(log: LogId): boolean {
    return this.#found.has(log);
  }

  /** Throws what was found in it, if it still is so. */
  async check(log: LogId): Promise<void> {
    const damage = this.#found.get(log);
    if (!damage) return;
    const { seq, sub } = parsePosition(damage.position) ?? { seq: 0, sub: 0 };
    if (sub > 0) await this.#store.events(log, formatPosition(seq, sub - 1), 1);
    else await this.#store.events(log, formatPosition(Math.max(0, seq - 1), 0), 1, "facts");
    this.#found.delete(log);
    this.#tell(log);
  }
}
