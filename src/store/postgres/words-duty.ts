// Sorts new words into the search index, apart from the appends that brought them: there it would be a third of all
// work that facts with texts make. Until then searches read them one by one.
import { setTimeout as delay } from "node:timers/promises";
import { WORD_MAX_CHARS } from "../words.ts";
import type { Database, Transaction } from "./database.ts";

const EVERY_MS = 5_000;
const STATEMENT_MS = 60_000;

/** SQL for what the words of a row of search_new are as a tsvector, cut as those of a query are. */
export const NEW_WORDS = `array_to_tsvector(array(
  select left(word, ${WORD_MAX_CHARS}) from unnest(string_to_array(words, ' ')) as word where word <> ''))`;

export class WordsDuty {
  #due = true; // a process before us may have left some
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
      await this.#database.transaction(sortIn, { statementMs: STATEMENT_MS }).catch((error: unknown) => {
        this.#due = true; // they stay where searches find them
        this.#failed(error);
      });
    }
  }
}

/** One node at a time is enough. */
async function sortIn(transaction: Transaction): Promise<void> {
  const [free] = await transaction.query<{ free: boolean }>({
    text: "select pg_try_advisory_xact_lock(hashtextextended('holdfast words', 0)) as free",
  });
  if (!free?.free) return;
  await transaction.query({
    text: `with moved as (delete from search_new returning log, seq, words)
      insert into search (log, seq, words) select log, seq, ${NEW_WORDS} from moved`,
  });
  await transaction.query({ text: "select gin_clean_pending_list('search_words')" });
}
