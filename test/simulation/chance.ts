// Seeded chance: the same seed gives the same numbers in the same order, on any machine.

export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
    for (let n = 0; n < 4; n++) this.next(); // neighbouring seeds part ways
  }

  /** From 0 up to 1; a 32-bit generator of Weyl's kind with two rounds of mixing. */
  next(): number {
    this.#state = (this.#state + 0x9e3779b9) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  }

  happens(probability: number): boolean {
    return this.next() < probability;
  }

  /** A whole number from `least` to `most`, both included. */
  whole(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  between(least: number, most: number): number {
    return least + this.next() * (most - least);
  }

  pick<T>(from: readonly T[]): T {
    if (from.length === 0) throw new Error("there is nothing to pick from");
    return from[Math.floor(this.next() * from.length)] as T; // within its length
  }
}
