// One after the other for each name, side by side for others: whoever decides on what the one before wrote need not try again.

export class InOrder {
  readonly #last = new Map<string, Promise<unknown>>();

  run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(name) ?? Promise.resolve();
    const done = before.then(work, work);
    this.#last.set(name, done);
    const forget = () => {
      if (this.#last.get(name) === done) this.#last.delete(name);
    };
    done.then(forget, forget);
    return done;
  }
}
