// When drafts are written: those of all sessions together, so that they share a commit and what surrounds it. One who
// speaks alone is written at once; as long as it takes to write what many say, so long the next beat gathers.
import type { Clock } from "./clock.ts";

/** Sooner, nobody would see it, and each beat costs a commit. */
const BEAT_MIN_MS = 1;
/** However long it takes: this is how much a crash may cost a reader. */
const BEAT_MAX_MS = 40;
/** How much one beat says about the next: a disk that hesitated once is no reason to gather for long. */
const NEWS = 0.1;

export class DraftBeat {
  readonly #clock: Clock;
  readonly #waiting = new Set<() => Promise<void>>();
  #scheduled = false;
  #lastAt = -Infinity;
  #restMs = BEAT_MIN_MS;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Writes with the next beat; the returned function takes it back. */
  join(write: () => Promise<void>): () => void {
    this.#waiting.add(write);
    if (!this.#scheduled) {
      this.#scheduled = true;
      const wait = Math.max(0, this.#lastAt + this.#restMs - this.#clock.now());
      this.#clock.after(Math.min(wait, BEAT_MAX_MS), () => this.#beat());
    }
    return () => this.#waiting.delete(write);
  }

  #beat(): void {
    this.#scheduled = false;
    const startedAt = (this.#lastAt = this.#clock.now());
    const due = [...this.#waiting];
    this.#waiting.clear();
    void Promise.all(due.map((write) => write())).then(() => {
      const tookMs = this.#clock.now() - startedAt; // until all of it was on the disk
      const restMs = Math.min(BEAT_MAX_MS, Math.max(BEAT_MIN_MS, tookMs));
      this.#restMs += (restMs - this.#restMs) * NEWS;
    });
  }
}
