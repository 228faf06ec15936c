// Simulated time and all that happens in it. Whatever waits, waits here: a store's answer, a model's word, a timer, a
// process's end. One thing happens at a time, and only when all that followed from the one before has come to rest; so
// an interleaving is a function of the seed.
import { Chance } from "./chance.ts";

/** Whose doing it is: what a dead one still waited for never comes, what a paused one waits for comes when it is back. */
export type Life = { readonly name: string; alive: boolean; pausedUntil: number };

type Happening = {
  at: number;
  order: number;
  life: Life | undefined;
  what: string;
  run: (() => void) | undefined;
};

/** Many times what a seed takes: something goes round and round. */
const HAPPENINGS_MAX = 50_000;
const BEGIN_MS = Date.parse("2026-11-15T09:00:00.000Z");

export class World {
  readonly chance: Chance;
  /** Lines to read afterwards; undefined while nobody will. */
  readonly trace: string[] | undefined;
  /** Asked before anything happens to a life: it may be killed or paused instead. */
  strike: (life: Life, what: string) => void = () => {};
  #elapsedMs = 0;
  #jumpedMs = 0;
  #made = 0;
  #happened = 0;
  #lived = 0;
  readonly #coming: Happening[] = [];
  #failure: Error | undefined;

  constructor(seed: number, traced: boolean) {
    this.chance = new Chance(seed);
    this.trace = traced ? [] : undefined;
  }

  /** What a clock on the wall shows. */
  now = (): number => BEGIN_MS + Math.floor(this.#elapsedMs) + this.#jumpedMs;

  get elapsedMs(): number {
    return this.#elapsedMs;
  }

  get happened(): number {
    return this.#happened;
  }

  /** Of those, what happened to someone. */
  get lived(): number {
    return this.#lived;
  }

  /** The clock on the wall is set; what waits by the stopwatch does not notice. */
  jump(ms: number): void {
    this.#jumpedMs += ms;
    this.say("the world", `the clock jumps ${ms / 3600_000} h`);
  }

  /** The returned function takes it back. */
  after(ms: number, life: Life | undefined, what: string, run: () => void): () => void {
    const happening: Happening = { at: this.#elapsedMs + ms, order: this.#made++, life, what, run };
    this.#push(happening);
    return () => {
      happening.run = undefined;
    };
  }

  /** A little later, never the same: most often a few milliseconds, now and then much more. */
  soon(life: Life | undefined, what: string, run: () => void): () => void {
    const slow = this.chance.happens(0.02);
    return this.after(slow ? this.chance.between(50, 3_000) : this.chance.between(0.2, 4), life, what, run);
  }

  /** Until `enough` says so, asked after each thing that happened; false when the time is over or nothing comes. */
  async run(forMs: number, enough: () => boolean): Promise<boolean> {
    const until = this.#elapsedMs + forMs;
    await settled();
    while (!enough()) {
      this.#throwFailure();
      const next = this.#pop();
      if (!next) return false;
      if (next.at > until) {
        this.#push(next);
        this.#elapsedMs = until;
        return false;
      }
      if (next.run === undefined || next.life?.alive === false) continue;
      this.#elapsedMs = Math.max(this.#elapsedMs, next.at);
      const { life } = next;
      if (life && life.pausedUntil <= this.#elapsedMs) this.strike(life, next.what);
      if (life?.alive === false || next.run === undefined) continue;
      if (life && life.pausedUntil > this.#elapsedMs) {
        this.#push(Object.assign(next, { at: life.pausedUntil, order: this.#made++ }));
        continue;
      }
      this.#happened += 1;
      if (this.#happened > HAPPENINGS_MAX) throw new Error(`more than ${HAPPENINGS_MAX} things happened`);
      if (life) this.#lived += 1;
      this.say(life?.name ?? "the world", next.what);
      next.run();
      await settled();
    }
    this.#throwFailure();
    return true;
  }

  /** What must never happen did: the run ends there. */
  fail(error: Error): void {
    this.#failure ??= error;
  }

  say(who: string, what: string): void {
    this.trace?.push(`${(this.#elapsedMs / 1000).toFixed(3).padStart(10)} ${who.padEnd(9)} ${what}`);
  }

  #throwFailure(): void {
    if (this.#failure) throw this.#failure;
  }

  // A binary heap by time, then by order.
  #push(happening: Happening): void {
    const heap = this.#coming;
    let at = heap.push(happening) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (isBefore(heap[parent]!, happening)) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = happening;
  }

  #pop(): Happening | undefined {
    const heap = this.#coming;
    const first = heap[0];
    const last = heap.pop();
    if (!first || !last || heap.length === 0) return first;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child += 1;
      if (isBefore(last, heap[child]!)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = last;
    return first;
  }
}

function isBefore(one: Happening, other: Happening): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}

/** Every promise that could go on has gone on: the event loop comes round only then. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
