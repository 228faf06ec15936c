// Whether the file can be written to. A full disk passes: what makes room still goes on, and a probe with a growing
// pause finds out when the rest may. A failed read or write does not pass: after it nothing is committed any more,
// since what the disk holds is no longer known.
import { StorageError, type StoreHealth } from "../store.ts";
import type { Ballast } from "./ballast.ts";
import type { Database } from "./database.ts";
import { FREEING, type VerbName } from "./verbs.ts";

/** Writing the first ballast is not what a start has to wait for. */
const BALLAST_MS = 1_000;
const PROBE_FIRST_MS = 250;
const PROBE_MAX_MS = 15_000;
/** As much as the ballast: room within the file is as good as room beside it. */
const FREE_PAGES_MIN = 2048;

export class Condition {
  readonly #database: Database;
  readonly #ballast: Ballast;
  readonly #changed: (health: StoreHealth) => void;
  #error: StorageError | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(database: Database, ballast: Ballast, changed: (health: StoreHealth) => void) {
    this.#database = database;
    this.#ballast = ballast;
    this.#changed = changed;
    if (!ballast.isThere()) this.#probeIn(BALLAST_MS);
  }

  get isWell(): boolean {
    return this.#error === undefined;
  }

  /** Throws when a verb is not to be tried. */
  admit(verb: string): void {
    if (this.#error === undefined || (this.#error.kind === "full" && FREEING.has(verb as VerbName))) return;
    throw new StorageError(this.#error.kind, this.#error.message);
  }

  failed(error: StorageError): void {
    if (error.kind === "busy" || this.#error?.kind === "broken" || this.#error?.kind === error.kind) return;
    this.#error = error;
    this.#changed({ ok: false, reason: error.message });
    clearTimeout(this.#timer);
    if (error.kind === "broken") return;
    this.#ballast.giveUp();
    this.#probeIn(PROBE_FIRST_MS);
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #probeIn(ms: number): void {
    this.#timer = setTimeout(() => this.#probe(ms), ms).unref();
  }

  #probe(waitedMs: number): void {
    const ballast = this.#ballast.make();
    if (this.#error && (ballast || this.#freePages() >= FREE_PAGES_MIN) && this.#commits()) {
      this.#error = undefined;
      this.#changed({ ok: true });
    }
    if (this.#error) this.#ballast.giveUp();
    if (this.#error || !ballast) this.#probeIn(Math.min(waitedMs * 2, PROBE_MAX_MS));
  }

  #freePages(): number {
    return this.#database.tuple<[number]>("pragma freelist_count")?.[0] ?? 0;
  }

  #commits(): boolean {
    if (this.#database.isTransaction) return false; // a group is under way, and will show it itself
    try {
      this.#database.exec(
        "begin immediate; insert or replace into meta (name, value) values ('probe', ''); commit",
      );
      return true;
    } catch {
      if (this.#database.isTransaction) this.#database.exec("rollback");
      return false; // still full: the next probe comes later
    }
  }
}
