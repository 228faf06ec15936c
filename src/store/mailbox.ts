// A bounded meeting point of one that posts and one that iterates: what is posted twice before it is taken is one,
// so it never holds more than there are different things to say.

export class Mailbox<T, Out> implements AsyncIterableIterator<Out> {
  #pending = new Set<T>();
  #waiting: ((result: IteratorResult<Out, undefined>) => void)[] = [];
  #ended = false;
  readonly #take: (pending: Set<T>) => Out;
  readonly #onEnd: () => void;

  /** `take` removes what it gives; it is asked only when something is pending. */
  constructor(take: (pending: Set<T>) => Out, onEnd: () => void) {
    this.#take = take;
    this.#onEnd = onEnd;
  }

  post(item: T): void {
    if (this.#ended) return;
    this.#pending.add(item);
    this.#waiting.shift()?.({ done: false, value: this.#take(this.#pending) });
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#pending.clear();
    this.#onEnd();
    for (const resolve of this.#waiting.splice(0)) resolve({ done: true, value: undefined });
  }

  next(): Promise<IteratorResult<Out, undefined>> {
    if (this.#ended) return Promise.resolve({ done: true, value: undefined });
    if (this.#pending.size > 0) return Promise.resolve({ done: false, value: this.#take(this.#pending) });
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  return(): Promise<IteratorResult<Out, undefined>> {
    this.end();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
