// How often someone may try a login: a bucket for each address and one for all, so that neither one guesser nor many
// get far. In memory: a restart forgives, and costs a guesser more time than it gives.

export type AttemptLimits = {
  /** At once. */
  burst: number;
  /** Until another one is allowed. */
  refillMs: number;
};

const PER_ADDRESS: AttemptLimits = { burst: 10, refillMs: 6_000 };
const OVERALL: AttemptLimits = { burst: 50, refillMs: 1_000 };
/** Beyond this many addresses the oldest is forgotten; the bucket for all still holds. */
const ADDRESSES_MAX = 10_000;

type Bucket = { left: number; at: number };

export class Attempts {
  readonly #now: () => number;
  readonly #perAddress: AttemptLimits;
  readonly #overall: AttemptLimits;
  readonly #addresses = new Map<string, Bucket>();
  #all: Bucket;

  constructor(now: () => number, perAddress = PER_ADDRESS, overall = OVERALL) {
    this.#now = now;
    this.#perAddress = perAddress;
    this.#overall = overall;
    this.#all = { left: overall.burst, at: now() };
  }

  /** Undefined when the attempt may be made; else the milliseconds until one may. */
  take(address: string): number | undefined {
    const all = this.#refilled(this.#all, this.#overall);
    const own = this.#refilled(this.#addresses.get(address), this.#perAddress);
    this.#all = all;
    this.#remember(address, own);
    if (own.left < 1) return (1 - own.left) * this.#perAddress.refillMs;
    if (all.left < 1) return (1 - all.left) * this.#overall.refillMs;
    own.left--;
    all.left--;
    return undefined;
  }

  /** It was no guess: whoever has the right secret is not slowed by having used it. */
  giveBack(address: string): void {
    this.#all.left++;
    const own = this.#addresses.get(address);
    if (own) own.left++;
  }

  #refilled(bucket: Bucket | undefined, { burst, refillMs }: AttemptLimits): Bucket {
    const now = this.#now();
    if (bucket === undefined) return { left: burst, at: now };
    const passedMs = Math.max(0, now - bucket.at); // a clock that was set back gives nothing
    return { left: Math.min(burst, bucket.left + passedMs / refillMs), at: now };
  }

  #remember(address: string, bucket: Bucket): void {
    this.#addresses.delete(address); // so that the map's order is that of use
    this.#addresses.set(address, bucket);
    if (this.#addresses.size <= ADDRESSES_MAX) return;
    const [oldest] = this.#addresses.keys();
    if (oldest !== undefined) this.#addresses.delete(oldest);
  }
}
