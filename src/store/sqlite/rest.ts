// How long a thread that others need does not wait for the disk again: after a quick write so long that it is there for
// them most of the time, after a slow one much longer.

const REST_TIMES = 5;
const SLOW_MS = 10;
const SLOW_REST_TIMES = 20;
/** What comes in quicker succession is better off where it is written together. */
const SUCCESSION_MS = 5;

export class Rest {
  #until = 0;

  isOver(now: number): boolean {
    return now >= this.#until;
  }

  wrote(now: number, tookMs: number): void {
    this.#until = now + tookMs * (tookMs < SLOW_MS ? REST_TIMES : SLOW_REST_TIMES);
  }

  otherWrote(now: number): void {
    this.#until = Math.max(this.#until, now + SUCCESSION_MS);
  }
}
