// What a search finds while its words are still being typed: asked for after a pause, and given up when they change.
import { createEffect, createSignal, on, onCleanup, type Accessor } from "solid-js";
import type { Client, SearchHit } from "../../src/client/commands.ts";
import { failureWords } from "../failure-words.ts";

export type Found = {
  /** What the hits are for: while the next words are looked up, those before them stay. */
  query: string;
  hits: readonly SearchHit[];
  next: string | null;
  failure: string | null;
};

export type Finder = {
  found: Accessor<Found>;
  isSearching: Accessor<boolean>;
  /** The page behind the last one. */
  more(): Promise<void>;
  again(): void;
};

const NOTHING: Found = { query: "", hits: [], next: null, failure: null };

/** Long enough that a word in the middle of being typed is not looked up letter by letter. */
const PAUSE_MS = 160;
/** One letter begins so many words that finding them is of no use to anyone. */
const QUERY_MIN_CHARS = 2;

export function createFinder(client: Client, query: Accessor<string>, limit: number): Finder {
  const [found, setFound] = createSignal<Found>(NOTHING);
  const [isSearching, setSearching] = createSignal(false);
  const [tries, setTries] = createSignal(0);
  let asked = new AbortController();
  onCleanup(() => asked.abort());

  createEffect(
    on([() => query().trim(), tries], ([q]) => {
      asked.abort();
      asked = new AbortController();
      const { signal } = asked;
      setSearching(q.length >= QUERY_MIN_CHARS);
      if (q.length < QUERY_MIN_CHARS) return void setFound(NOTHING);
      const timer = setTimeout(() => void look(q, signal), PAUSE_MS);
      signal.addEventListener("abort", () => clearTimeout(timer));
    }),
  );

  async function look(q: string, signal: AbortSignal, before?: Found): Promise<void> {
    setSearching(true);
    try {
      const after = before?.next ?? undefined;
      const page = await client.search({ q, limit, ...(after !== undefined && { after }) }, signal);
      const hits = [...(before?.hits ?? []), ...page.items];
      setFound({ query: q, hits, next: page.next, failure: null });
    } catch (error) {
      if (signal.aborted) return;
      setFound({ ...(before ?? NOTHING), query: q, failure: failureWords(error) });
    }
    setSearching(false);
  }

  return {
    found,
    isSearching,
    async more() {
      const before = found();
      if (before.next !== null && !isSearching()) await look(before.query, asked.signal, before);
    },
    again: () => setTries((n) => n + 1),
  };
}
