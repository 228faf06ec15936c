// Calls that change the same file, one after the other, each from the look at the file to the fact of its outcome: the next
// one looks at what this one has left, and a crash finds at most one of them begun.

/** Of all sessions that this process works on. */
export class FileLanes {
  readonly #last = new Map<string, Promise<void>>();

  /** What became of another session's call is that session's affair, so whoever waits goes on after a failure too. */
  async run(file: string, act: () => Promise<void>): Promise<void> {
    const done = (this.#last.get(file) ?? Promise.resolve()).then(act);
    const settled = done.catch(() => {});
    this.#last.set(file, settled);
    await settled;
    if (this.#last.get(file) === settled) this.#last.delete(file);
    return done;
  }
}

/** Of the calls of one step. */
export class StepLanes {
  readonly #lanes: FileLanes;
  readonly #last = new Map<string, Promise<void>>();

  constructor(lanes: FileLanes) {
    this.#lanes = lanes;
  }

  /** Where one of them throws, none that comes after it begins: its outcome is not in the log, and must be found first. */
  run(file: string | undefined, act: () => Promise<void>): Promise<void> {
    if (file === undefined) return act();
    const done = (this.#last.get(file) ?? Promise.resolve()).then(() => this.#lanes.run(file, act));
    this.#last.set(file, done);
    return done;
  }
}
