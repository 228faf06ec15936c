// Asks the worker for the colours of code, and remembers them: a row that scrolls out and back in has them at once.
import type { Language } from "./languages.ts";

/** Pieces of a line with what each of them is: keyword, string, comment … */
export type ColouredLine = [text: string, kind: string][];
export type Colour = { id: number; code: string; language: Language };
export type ColourAnswer = { id: number; lines: ColouredLine[] | null };

/** Longer code stays plain. */
export const COLOURED_MAX_CHARS = 60_000;
const KEPT_MAX_CHARS = 1_000_000;
const WAITING_MAX = 200;
/** A grammar that is still at it then has met its match; it is ended, and a new worker does the rest. */
const PATIENCE_MS = 8000;

type Waiting = Colour & { take: (lines: ColouredLine[]) => void };

const kept = new Map<string, ColouredLine[]>();
let keptChars = 0;
const waiting: Waiting[] = [];
let current: { id: number; patience: ReturnType<typeof setTimeout> } | undefined;
let worker: Worker | undefined;
let ids = 0;

/** `take` is called at once when the colours are known, later when they come, never when there are none. */
export function colourCode(code: string, language: Language, take: (lines: ColouredLine[]) => void): void {
  if (code.length > COLOURED_MAX_CHARS) return;
  const known = kept.get(`${language} ${code}`);
  if (known) return take(known);
  waiting.push({ id: ++ids, code, language, take });
  if (waiting.length > WAITING_MAX) waiting.splice(1, 1); // the oldest that is not being worked at has long scrolled by
  next();
}

function next(): void {
  const first = waiting[0];
  if (first === undefined || current !== undefined) return;
  worker ??= startWorker();
  current = { id: first.id, patience: setTimeout(giveUp, PATIENCE_MS) };
  const { id, code, language } = first;
  worker.postMessage({ id, code, language } satisfies Colour);
}

function startWorker(): Worker {
  const started = new Worker(new URL("./highlight.worker.ts", import.meta.url), { type: "module" });
  started.addEventListener("message", ({ data }: MessageEvent<ColourAnswer>) => settle(data));
  started.addEventListener("error", giveUp);
  return started;
}

function settle({ id, lines }: ColourAnswer): void {
  if (current?.id !== id) return;
  clearTimeout(current.patience);
  current = undefined;
  const done = waiting.shift();
  if (done && lines) {
    keep(`${done.language} ${done.code}`, lines);
    done.take(lines);
  }
  next();
}

function giveUp(): void {
  worker?.terminate();
  worker = undefined;
  if (current) settle({ id: current.id, lines: null });
}

function keep(key: string, lines: ColouredLine[]): void {
  if (!kept.has(key)) keptChars += key.length;
  kept.set(key, lines);
  for (const oldest of kept.keys()) {
    if (keptChars <= KEPT_MAX_CHARS) return;
    kept.delete(oldest);
    keptChars -= oldest.length;
  }
}
