// Sorts new words into the search index, apart from the appends that brought them: a fact's words cost there as much as
// four appends. So it waits for a quiet moment, but not for ever; until then searches read the new words one by one.
import { setTimeout as delay } from "node:timers/promises";
import type { Database, Transaction } from "./database.ts";

const LOOK_MS = 1_000;
const QUIET_MS = 3_000;
const LATEST_MS = 60_000;
/** What a search reads in some 50 ms. Those that other nodes bring are counted there. */
const WAITING_MAX = 50_000;
const SORTED_AT_ONCE = 10_000;
/** Of their words, in a statement that others wait for; the first is taken however long it is. */
const SORTED_BYTES = 4 * 1024 * 1024;
const STATEMENT_MS = 60_000;

/** SQL for what the words of a row of search_new are as a tsvector; see plainWords. */
export const NEW_WORDS = "array_to_tsvector(string_to_array(words, ' '))";

export class WordsDuty {
  /** Facts whose words wait, since when, and when the last of them came. A process before us may have left some. */
  #waiting = { facts: 1, since: performance.now(), last: performance.now() };
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  readonly #database: Database;
  readonly #failed: (error: unknown) => void;

  constructor(database: Database, failed: (error: unknown) => void) {
    this.#database = database;
    this.#failed = failed;
    this.#running = this.#keep();
  }

  /** This many facts with words were appended. */
  came(facts: number): void {
    if (facts === 0) return;
    const now = performance.now();
    if (this.#waiting.facts === 0) this.#waiting.since = now;
    this.#waiting.facts += facts;
    this.#waiting.last = now;
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #keep(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      await delay(LOOK_MS, undefined, { signal, ref: false }).catch(() => {}); // stopped
      if (signal.aborted || !this.#isDue(performance.now())) continue;
      const before = this.#waiting;
      this.#waiting = { facts: 0, since: 0, last: 0 };
      await this.#sortAll().catch((error: unknown) => {
        this.#waiting.facts += before.facts; // they stay where searches find them
        this.#failed(error);
      });
    }
  }

  #isDue(now: number): boolean {
    const { facts, since, last } = this.#waiting;
    return facts > 0 && (facts >= WAITING_MAX || now - last >= QUIET_MS || now - since >= LATEST_MS);
  }

  async #sortAll(): Promise<void> {
    const { signal } = this.#stop;
    let isMore = true;
    while (isMore && !signal.aborted)
      isMore = await this.#database.transaction(sortSome, { statementMs: STATEMENT_MS });
  }
}

/** One node at a time is enough. True when there may be more. */
async function sortSome(transaction: Transaction): Promise<boolean> {
  const [free] = await transaction.query<{ free: boolean }>({
    text: "select pg_try_advisory_xact_lock(hashtextextended('holdfast words', 0)) as free",
  });
  if (!free?.free) return false;
  const [sorted] = await transaction.query<{ facts: number; seen: number }>({
    text: `with seen as materialized (
        select ctid as place, sum(bytes) over (rows between unbounded preceding and current row) - bytes as before
        from (select ctid, octet_length(words) as bytes from search_new limit ${SORTED_AT_ONCE}) as next),
      moved as (
        delete from search_new where ctid = any (array(select place from seen where before < ${SORTED_BYTES}))
        returning log, seq, words),
      sorted as (insert into search (log, seq, words) select log, seq, ${NEW_WORDS} from moved)
      select count(*) as facts, (select count(*) from seen) as seen from moved`,
  });
  await transaction.query({ text: "select gin_clean_pending_list('search_words')" });
  return sorted !== undefined && (sorted.seen === SORTED_AT_ONCE || sorted.facts < sorted.seen);
}
