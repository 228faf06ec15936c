// Sorts new words into the search index, apart from the appends that brought them: they wait in a list that every
// search reads through, and that PostgreSQL would otherwise sort in during some append, which then takes a tenth of a
// second and more.
import { setTimeout as delay } from "node:timers/promises";
import type { Database } from "./database.ts";

const EVERY_MS = 5_000;
const STATEMENT_MS = 60_000;

export class WordsDuty {
  #due = false;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  readonly #database: Database;
  readonly #failed: (error: unknown) => void;

  constructor(database: Database, failed: (error: unknown) => void) {
    this.#database = database;
    this.#failed = failed;
    this.#running = this.#keep();
  }

  /** There are new words. */
  due(): void {
    this.#due = true;
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #keep(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      await delay(EVERY_MS, undefined, { signal, ref: false }).catch(() => {}); // stopped
      if (!this.#due || signal.aborted) continue;
      this.#due = false;
      const text = "select gin_clean_pending_list('event_words')";
      await this.#database
        .transaction((step) => step.query({ text }), { statementMs: STATEMENT_MS })
        .catch(this.#failed); // the words stay where searches find them; the next time sorts them in
    }
  }
}
