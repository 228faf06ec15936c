// What full-text search finds in an event, and the few words around a hit.
import type { LongText, NewEvent } from "./event.ts";

/** Enough of a tool's output to find it again; the whole stays in the log. */
const INDEXED_CHARS = 16_384;
const SNIPPET_CHARS = 160;
const WORD = /[\p{L}\p{N}_]+/gu;

export function searchText(event: NewEvent): string | undefined {
  const text = wholeText(event);
  return text === undefined || text === "" ? undefined : text.slice(0, INDEXED_CHARS);
}

/** The surroundings of the first of the query's words, on one line. */
export function snippet(text: string, query: string): string {
  const plain = text.replaceAll(/\s+/g, " ");
  const at = matches(plain, query).next().value?.from ?? 0;
  const from = Math.max(0, at - SNIPPET_CHARS / 4);
  const to = Math.min(plain.length, from + SNIPPET_CHARS);
  return `${from > 0 ? "…" : ""}${plain.slice(from, to)}${to < plain.length ? "…" : ""}`;
}

/** Where the query's words stand in a text: whole ones, and those that begin like its last. */
export function* matches(text: string, query: string): Generator<{ from: number; to: number }, undefined> {
  const asked = words(fold(query.normalize("NFC")));
  const last = asked.at(-1);
  if (last === undefined) return;
  for (const { 0: word, index: from } of fold(text).matchAll(WORD)) {
    if (asked.includes(word)) yield { from, to: from + word.length };
    else if (word.startsWith(last)) yield { from, to: from + last.length };
  }
}

/** A query is words, all of which must be there; what is not a letter or a digit parts them. */
export function words(query: string): string[] {
  return query.match(WORD) ?? [];
}

function wholeText(event: NewEvent): string | undefined {
  switch (event.type) {
    case "session_created":
    case "session_titled":
      return event.data.title;
    case "input_admitted":
    case "input_edited":
      return shown(event.data.text);
    case "step_completed":
      return event.data.message
        .flatMap((piece) => (piece.type === "text" ? [shown(piece.text)] : []))
        .join("\n");
    case "tool_finished":
      return shown(event.data.result);
    case "task_finished":
    case "delegate_returned":
      return shown(event.data.summary);
    default:
      return undefined;
  }
}

export function shown(text: LongText): string {
  return typeof text === "string" ? text : text.preview;
}

/** Length-preserving, so that an index into the folded text is one into the text. */
export function fold(text: string): string {
  return Array.from(text, (char) => {
    const lower = char.toLowerCase().normalize("NFD");
    const base = lower.slice(0, 1);
    return char.length === 1 && base.length === 1 ? base : char;
  }).join("");
}
