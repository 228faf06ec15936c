// Many verbs, one commit. Verbs check before they write, so one that is refused leaves nothing in the transaction. If
// anything unexpected happens, the whole is rolled back (SQLite itself drops it when the disk is full) and each verb
// runs again in a transaction of its own: whoever was not to blame is not harmed. A savepoint for each verb would
// guard nothing beyond that.
import { StorageError } from "../store.ts";
import { failureOf, type Failure } from "./failure.ts";
import type { Writing } from "./writing.ts";

export type Call = [verb: string, ...args: unknown[]];
export type Reply = [value: unknown] | [value: null, failure: Failure];
export type Verb = (writing: Writing, ...args: never[]) => unknown;

export class Group {
  readonly #writing: Writing;
  readonly #verbs: Readonly<Record<string, Verb>>;
  /** Throws a StorageError when a verb is not to be tried at all. */
  readonly #admit: (verb: string) => void;
  readonly #failed: (error: StorageError) => void;
  #calls: Call[] = [];
  #replies: Reply[] = [];
  #spoiledBy: unknown;

  constructor(options: {
    writing: Writing;
    verbs: Readonly<Record<string, Verb>>;
    admit: (verb: string) => void;
    failed: (error: StorageError) => void;
  }) {
    this.#writing = options.writing;
    this.#verbs = options.verbs;
    this.#admit = options.admit;
    this.#failed = options.failed;
  }

  get size(): number {
    return this.#calls.length;
  }

  add(call: Call): void {
    this.#calls.push(call);
    if (this.#spoiledBy !== undefined) return;
    try {
      this.#admit(call[0]);
      if (this.#calls.length === 1) this.#writing.database.run("begin immediate");
      this.#replies.push([this.#carryOut(call)]);
    } catch (error) {
      this.#spoiledBy = error;
    }
  }

  /** The replies, in the order of the calls; what they say is on the disk. */
  commit(): Reply[] {
    const [calls, replies] = [this.#calls, this.#replies];
    const error = this.#spoiledBy ?? this.#tryToCommit();
    [this.#calls, this.#replies, this.#spoiledBy] = [[], [], undefined];
    if (error === undefined) return replies;
    this.#rollBack();
    // Then none of them is tried again: a second fsync may succeed although the first one lost the data.
    if (error instanceof StorageError && error.kind === "broken") this.#failed(error);
    return calls.map((call) => this.#runAlone(call));
  }

  #tryToCommit(): unknown {
    try {
      this.#writing.database.run("commit");
      return undefined;
    } catch (error) {
      return error;
    }
  }

  #runAlone(call: Call): Reply {
    try {
      this.#admit(call[0]);
      this.#writing.database.run("begin immediate");
      const value = this.#carryOut(call);
      this.#writing.database.run("commit");
      return [value];
    } catch (error) {
      this.#rollBack();
      if (error instanceof StorageError) this.#failed(error);
      return [null, failureOf(error)];
    }
  }

  #carryOut([verb, ...args]: Call): unknown {
    const carryOut = this.#verbs[verb];
    if (!carryOut) throw new RangeError(`the writer knows no verb ${verb}`);
    return carryOut(this.#writing, ...(args as never[])); // typed where it was called
  }

  #rollBack(): void {
    const { database, logs, index, sweeps } = this.#writing;
    logs.forgetAll();
    index.forget();
    sweeps.forget();
    try {
      if (database.isTransaction) database.run("rollback");
    } catch (error) {
      // What can't even be undone must not be built upon.
      this.#failed(new StorageError("broken", "a transaction could not be rolled back", { cause: error }));
    }
  }
}
