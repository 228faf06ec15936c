// A long output, a page at a time as someone asks for more. What was loaded stays for a while: a row that scrolls out and
// back in has it at once, and at the same height.
import { createSignal, type Accessor } from "solid-js";
import type { Client } from "../../src/client/commands.ts";
import { createAttempt, type Attempt } from "../attempt.ts";

export type OutputSource = {
  /** What stands from a place on, and where the next page begins; no `next`: that was all so far. */
  page(from: number): Promise<{ text: string; next: number | undefined; bytes: number }>;
  whole(): Promise<Blob>;
};

export type OutputPages = {
  text: Accessor<string>;
  /** What there is beyond what is shown: more to show, too much to show, or nothing. */
  rest: Accessor<"more" | "too_much" | "none">;
  bytes: Accessor<number>;
  attempt: Attempt;
  more(): Promise<boolean>;
  source: OutputSource;
};

const PAGE_BYTES = 64 * 1024;
/** More than this nobody reads in a page: the rest is downloaded. */
const SHOWN_MAX_CHARS = 1024 * 1024;
const DOWNLOAD_MAX_BYTES = 256 * 1024 * 1024;
const KEPT_MAX = 30;

const kept = new Map<string, OutputPages>();

export function outputPages(key: string, source: () => OutputSource): OutputPages {
  const pages = kept.get(key) ?? createPages(source());
  kept.delete(key);
  kept.set(key, pages);
  for (const oldest of kept.keys()) {
    if (kept.size <= KEPT_MAX) break;
    kept.delete(oldest);
  }
  return pages;
}

function createPages(source: OutputSource): OutputPages {
  const [text, setText] = createSignal("");
  const [next, setNext] = createSignal<number | undefined>(0);
  const [bytes, setBytes] = createSignal(0);
  const attempt = createAttempt();
  return {
    text,
    rest: () => (next() === undefined ? "none" : text().length < SHOWN_MAX_CHARS ? "more" : "too_much"),
    bytes,
    attempt,
    more: () =>
      attempt.run(async () => {
        const from = next();
        if (from === undefined) return;
        const page = await source.page(from);
        setText((before) => before + page.text);
        setNext(page.next);
        setBytes(page.bytes);
      }),
    source,
  };
}

/** What a process has said, from its file. While it runs there is always more to ask for. */
export function processSource(client: Client, process: string): OutputSource {
  const read = (offset: number, limit: number) => client.processOutput(process, { offset, limit });
  return {
    async page(from) {
      const { text, next, bytes, over } = await read(from, PAGE_BYTES);
      return { text, next: over ? undefined : next, bytes };
    },
    async whole() {
      const texts: string[] = [];
      for (let from = 0; from < DOWNLOAD_MAX_BYTES;) {
        const { text, next, bytes } = await read(from, 1024 * 1024);
        texts.push(text);
        if (next >= bytes || next === from) break;
        from = next;
      }
      return new Blob(texts, { type: "text/plain" });
    },
  };
}

/** A text that comes all at once, and is still shown a page at a time. */
export function textSource(load: () => Promise<string>): OutputSource {
  let loading: Promise<string> | undefined;
  const loaded = () =>
    (loading ??= load().catch((error: unknown) => {
      loading = undefined; // the next ask tries again
      throw error;
    }));
  return {
    async page(from) {
      const text = await loaded();
      const end = from + PAGE_BYTES;
      return { text: text.slice(from, end), next: end < text.length ? end : undefined, bytes: text.length };
    },
    whole: async () => new Blob([await loaded()], { type: "text/plain" }),
  };
}
