// Calls that change the same file, one after the other, each from the look at the file to the fact of its outcome: the next
// one looks at what this one has left, and a crash finds at most one of them begun.

export class FileLanes {
  readonly #last = new Map<string, Promise<void>>();

  /** Where one of them throws, none that comes after it begins: its outcome is not in the log, and must be found first. */
  run(file: string | undefined, act: () => Promise<void>): Promise<void> {
    if (file === undefined) return act();
    const done = (this.#last.get(file) ?? Promise.resolve()).then(act);
    this.#last.set(file, done);
    return done;
  }
}
