// Calls that change the same file, one after the other, each from the look at the file to the fact of its outcome: the next
// one looks at what this one has left, and a crash finds at most one of them begun. Within a step, what only looks at a file
// has its place among them, since a model that edits and reads, or writes a script and runs it, in one breath means what it
// has edited.
import { isIn } from "../tool/target.ts";

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

/** By a call: a file, or a file or directory. */
export type Touched = { changed: string | undefined; seen: string | undefined };
type Entered = { at: string; changes: boolean; done: Promise<void> };

/** Of the calls of one step, each in the place in which it enters. */
export class StepLanes {
  readonly #lanes: FileLanes;
  readonly #entered: Entered[] = [];
  readonly #held: { file: string; call: string }[] = [];
  readonly #left: { at: string; call: string }[] = [];

  constructor(lanes: FileLanes) {
    this.#lanes = lanes;
  }

  change(file: string, act: () => Promise<void>): Promise<void> {
    const before = this.#entered.filter(({ at, changes }) => (changes ? at === file : isIn(at, file)));
    return this.#enter({ at: file, changes: true }, before, () => this.#lanes.run(file, act));
  }

  /** At a file, or at all that is in a directory. Waits for what changes any of it, but for no other that only looks. */
  look(at: string, act: () => Promise<void>): Promise<void> {
    const before = this.#entered.filter(({ at: file, changes }) => changes && isIn(at, file));
    return this.#enter({ at, changes: false }, before, act);
  }

  /** A call that would change the file waits for a person. */
  hold(file: string, call: string): void {
    this.#held.push({ file, call });
  }

  /** One that waits behind such a call keeps its place: later ones that have to wait for it wait as well. */
  leave({ seen, changed }: Touched, behind: string): void {
    if (changed !== undefined) this.hold(changed, behind);
    if (seen !== undefined) this.#left.push({ at: seen, call: behind });
  }

  /** The call that one would have to wait for: a look for what changes any of it, a change for what would look at it before. */
  heldBy({ seen, changed }: Touched): string | undefined {
    const held = this.#held.find(({ file }) => seen !== undefined && isIn(seen, file));
    const left = this.#left.find(({ at }) => changed !== undefined && isIn(at, changed));
    return (held ?? left)?.call;
  }

  /** Where one of them throws, none that waits for it begins: its outcome is not in the log, and must be found first. */
  #enter(entry: Omit<Entered, "done">, before: readonly Entered[], act: () => Promise<void>): Promise<void> {
    const done = Promise.all(before.map((other) => other.done)).then(act);
    this.#entered.push({ ...entry, done });
    return done;
  }
}
