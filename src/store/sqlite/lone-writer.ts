// Drafts that come alone are written by the thread that brings them. To hand them over wakes the writer's thread, and its
// answer wakes this one: where one agent spoke by itself, that was a sixth of all CPU time. The price is that this thread
// waits for the disk; so it does that for drafts only, and then rests (rest.ts).
//
// There is one writer at a time all the same: this one writes only while the other has nothing to do, and each forgets
// where the logs stood when the other has written since.
import type { LogId, StorageError } from "../store.ts";
import { append } from "./append.ts";
import { openWriter, type Database } from "./database.ts";
import { Group, type Reply } from "./group.ts";
import type { Logs } from "./logs.ts";
import { Rest } from "./rest.ts";
import type { VerbArgs } from "./verbs.ts";
import { writingTo } from "./writing.ts";

/** Then the other is to have its turn: it looks after the journal, and this one never does. */
const EVENTS_MAX = 64;
/** The few pages that one log's end is in. */
const CACHE_KB = 1_000;
/** As if it had taken so long: then it is tried again some time later. */
const UNOPENED_MS = 100;

/** What was written here since the other writer last heard of it, and the latest time that a lease was extended at. */
export type LoneWrites = { events: number; leases: [LogId, leaseUntil: number][]; atMs: number };

type Open = { database: Database; logs: Logs; group: Group };

export class LoneWriter {
  readonly #file: string;
  readonly #failed: (error: StorageError) => void;
  readonly #rest = new Rest();
  #open: Open | undefined;
  #isClosed = false;
  #broken: StorageError | undefined;
  #events = 0;
  #leases = new Map<LogId, number>();
  #atMs = 0;

  /** `failed`: what this writer found, the other has to know before it writes again. */
  constructor(file: string, failed: (error: StorageError) => void) {
    this.#file = file;
    this.#failed = failed;
  }

  /** Undefined when it is not the time for it: then nothing was written. */
  append(...args: VerbArgs<"append">): Reply | undefined {
    const from = performance.now();
    if (!this.#rest.isOver(from) || this.#events >= EVENTS_MAX) return undefined;
    const open = (this.#open ??= this.#tryToOpen());
    if (!open) return undefined;
    if (this.#events === 0) open.logs.forgetAll(); // the other may have written
    open.group.add(["append", ...args]);
    const [reply] = open.group.commit();
    const [, failure] = reply ?? [];
    if (!failure) this.#note(open.logs, args);
    const now = performance.now();
    this.#rest.wrote(now, now - from);
    // Somebody from outside has the file: the other writer can wait for that.
    return failure?.kind === "busy" ? undefined : reply;
  }

  /** The other one is about to write. */
  handOver(): LoneWrites | undefined {
    if (this.#events === 0) return undefined;
    const written = { events: this.#events, leases: [...this.#leases], atMs: this.#atMs };
    [this.#events, this.#atMs] = [0, 0];
    this.#leases.clear();
    return written;
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

  #note(logs: Logs, [id, [entries], atMs]: VerbArgs<"append">): void {
    this.#events += entries.length;
    this.#atMs = Math.max(this.#atMs, atMs);
    const log = logs.find(id);
    if (log) this.#leases.set(id, log.leaseUntil);
  }

  /** Where it can't be opened (too many files are, say), all goes to the other writer, as it did without this one. */
  #tryToOpen(): Open | undefined {
    if (this.#isClosed) return undefined;
    try {
      const database = openWriter(this.#file, { cacheKb: CACHE_KB, timeout: 0, journalMaxPages: 0 });
      const writing = writingTo(database);
      const group = new Group({
        writing,
        verbs: { append },
        admit: () => {
          if (this.#broken) throw this.#broken;
        },
        failed: (error) => {
          if (error.kind === "broken") this.#broken = error;
          this.#failed(error);
        },
      });
      return { database, logs: writing.logs, group };
    } catch {
      this.#rest.wrote(performance.now(), UNOPENED_MS);
      return undefined;
    }
  }
}
