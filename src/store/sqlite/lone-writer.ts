// Drafts that come alone are written by the thread that brings them. To hand them over wakes the writer's thread, and its
// answer wakes this one: where one agent spoke by itself, that was a sixth of all CPU time. The price is that this thread
// waits for the disk; so it does that for drafts only, and then rests (rest.ts).
//
// There is one writer at a time all the same: this one writes only while the other has nothing to do, and each forgets
// where the logs stood when the other has written since.
import type { StorageError } from "../store.ts";
import { append } from "./append.ts";
import { openWriter, type Database } from "./database.ts";
import { Group, type Reply } from "./group.ts";
import type { Logs } from "./logs.ts";
import { Rest } from "./rest.ts";
import type { VerbArgs } from "./verbs.ts";
import { writingTo } from "./writing.ts";

/** Then the other is to have its turn: it looks after the journal. */
const WRITES_MAX = 64;
/** The few pages that one log's end is in. */
const CACHE_KB = 1_000;
/** As if it had taken so long: then it is tried again some time later. */
const UNOPENED_MS = 100;

/** What was written here since the other writer last heard of it, and when the last of their leases was extended. */
export type LoneWrites = { writes: number; atMs: number };

type Open = { database: Database; logs: Logs; group: Group };

export class LoneWriter {
  readonly #file: string;
  readonly #failed: (error: StorageError) => void;
  readonly #rest = new Rest();
  #open: Open | undefined;
  #written: LoneWrites = { writes: 0, atMs: 0 };
  #knowsLogs = false;
  #isClosed = false;

  /** `failed`: what this writer found, the other has to know before it writes again. */
  constructor(file: string, failed: (error: StorageError) => void) {
    this.#file = file;
    this.#failed = failed;
  }

  /** Undefined when it is not the time for it: then nothing was written. */
  append(...args: VerbArgs<"append">): Reply | undefined {
    const from = performance.now();
    if (!this.#rest.isOver(from) || this.#written.writes >= WRITES_MAX) return undefined;
    const open = (this.#open ??= this.#tryToOpen());
    if (!open) return undefined;
    const { logs, group } = open;
    if (!this.#knowsLogs) logs.forgetAll();
    this.#knowsLogs = true;
    group.add(["append", ...args]);
    const [reply] = group.commit();
    const [, , atMs] = args;
    this.#written = { writes: this.#written.writes + 1, atMs };
    const now = performance.now();
    this.#rest.wrote(now, now - from);
    // Somebody from outside has the file: the other writer can wait for that.
    return reply?.[1]?.kind === "busy" ? undefined : reply;
  }

  /** The other one is about to write. */
  handOver(): LoneWrites | undefined {
    const written = this.#written;
    this.#written = { writes: 0, atMs: 0 };
    this.#knowsLogs = false;
    return written.writes > 0 ? written : undefined;
  }

  /** The other one has written: more may come at once, and is better off there. */
  otherWrote(): void {
    this.#rest.otherWrote(performance.now());
  }

  close(): void {
    this.#isClosed = true;
    this.#open?.database.close();
    this.#open = undefined;
  }

  /** Where it can't be opened (too many files are, say), all goes to the other writer, as it did without this one. */
  #tryToOpen(): Open | undefined {
    if (this.#isClosed) return undefined;
    try {
      const database = openWriter(this.#file, { cacheKb: CACHE_KB, timeout: 0 });
      const writing = writingTo(database);
      const group = new Group({ writing, verbs: { append }, admit: () => {}, failed: this.#failed });
      return { database, logs: writing.logs, group };
    } catch {
      this.#rest.wrote(performance.now(), UNOPENED_MS);
      return undefined;
    }
  }
}
