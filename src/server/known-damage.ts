// Logs that were found damaged. What is sent to one would wait behind the damage for ever, since no executor can read so
// far; but to read a whole log before each send would cost more the longer it is. So whoever comes upon the damage, by
// opening the session for one, tells it here. A damaged log does not mend itself while a server runs.
import { DamagedEvent, type LogId } from "../store/store.ts";

const KEPT_MAX = 1_000;

export class KnownDamage {
  readonly #found = new Map<LogId, DamagedEvent>();

  /** Any error: only damage is kept. */
  note(error: unknown): void {
    if (!(error instanceof DamagedEvent)) return;
    this.#found.set(error.log, error);
    if (this.#found.size > KEPT_MAX)
      for (const oldest of this.#found.keys().take(1)) this.#found.delete(oldest);
  }

  /** Throws what was found in it. */
  check(log: LogId): void {
    const damage = this.#found.get(log);
    if (damage) throw damage;
  }
}
