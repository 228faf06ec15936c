// Which sessions changed, gathered for a moment: what lists are kept up to date by. It listens only while someone watches.
import type { Store } from "../store/store.ts";

const GATHER_MS = 50;

export class ChangedSessions {
  readonly #store: Store;
  readonly #flush: (ids: readonly string[]) => Promise<void>;
  readonly #onError: (error: unknown) => void;
  readonly #changed = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #life: AbortController | undefined;

  constructor(
    store: Store,
    flush: (ids: readonly string[]) => Promise<void>,
    onError: (error: unknown) => void,
  ) {
    this.#store = store;
    this.#flush = flush;
    this.#onError = onError;
  }

  listen(): void {
    if (this.#life !== undefined) return;
    const life = (this.#life = new AbortController());
    const changes = this.#store.changes(life.signal);
    const run = async () => {
      for await (const logs of changes) for (const log of logs) this.add(log);
    };
    run().catch((error: unknown) => {
      if (this.#life === life) this.#life = undefined; // the next to watch listens anew
      this.#onError(error);
    });
  }

  add(log: string): void {
    if (!log.startsWith("ses_")) return;
    this.#changed.add(log);
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const ids = [...this.#changed];
      this.#changed.clear();
      this.#flush(ids).catch(this.#onError);
    }, GATHER_MS);
  }

  close(): void {
    this.#life?.abort();
    this.#life = undefined;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#changed.clear();
  }
}
