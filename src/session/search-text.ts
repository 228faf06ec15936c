// What full-text search finds in an event, and the few words around a hit.
import type { LongText, NewEvent } from "./event.ts";

/** Of a message: more than a person writes, and its words fit what PostgreSQL takes for one text (1 MB in UTF-8). */
export const MESSAGE_CHARS = 256 * 1024;
/** Enough of a tool's output to find it again; the whole stays in the log. */
const OUTPUT_CHARS = 16_384;
const SNIPPET_CHARS = 160;
const WORD = /[\p{L}\p{N}_]+/gu;

/** A text that was put aside is known by how it begins, unless `whole` has more of it at hand. */
export function searchText(event: NewEvent, whole: (text: LongText) => string = shown): string | undefined {
  const texts = textsIn(event);
  if (texts === undefined) return undefined;
  const text = texts.map(whole).join("\n");
  return text === ""
    ? undefined
    : text.slice(0, event.type === "tool_finished" ? OUTPUT_CHARS : MESSAGE_CHARS);
}

/** Those of the texts that search finds which lie in blobs. */
export function asidesIn(event: NewEvent): Aside[] {
  return textsIn(event)?.filter((text) => typeof text !== "string") ?? NONE;
}
export type Aside = Exclude<LongText, string>;
const NONE: Aside[] = [];

/** Those of them that a hit is shown from, since the words that were asked for are not in the event itself. */
export function asidesToShow(event: NewEvent, query: string): Aside[] {
  const asides = asidesIn(event);
  if (asides.length === 0) return asides;
  const isShown = matches(searchText(event) ?? "", query).next().done !== true;
  return isShown ? [] : asides;
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
  const asked = words(folded(query));
  const last = asked.at(-1);
  if (last === undefined) return;
  for (const { 0: word, index: from } of text.matchAll(WRITTEN)) {
    const plain = folded(word);
    if (asked.includes(plain)) yield { from, to: from + word.length };
    else if (plain.startsWith(last)) yield { from, to: from + lengthOf(last, word) };
  }
}
/** A word as it stands in a text: with accents of its own, which part no words. */
const WRITTEN = /[\p{L}\p{N}_\p{Mn}]+/gu;

/** How much of a word begins like that. */
function lengthOf(beginning: string, word: string): number {
  let [length, left] = [0, beginning.length];
  for (const char of word) {
    left -= folded(char).length;
    if (left < 0) break;
    length += char.length;
  }
  return length;
}

/** A query is words, all of which must be there; what is not a letter or a digit parts them. */
export function words(query: string): string[] {
  return query.match(WORD) ?? [];
}

function textsIn(event: NewEvent): LongText[] | undefined {
  switch (event.type) {
    case "session_created":
    case "session_titled":
      return event.data.title === undefined ? undefined : [event.data.title];
    case "input_admitted":
    case "input_edited":
      return [event.data.text];
    case "step_completed":
      return event.data.message.flatMap((piece) => (piece.type === "text" ? [piece.text] : []));
    case "step_aborted":
    case "turn_ended":
      return event.data.said === undefined ? undefined : [event.data.said];
    case "tool_finished":
      return [event.data.result];
    case "task_finished":
    case "delegate_returned":
    case "context_compacted":
      return [event.data.summary];
    case "notice":
      return [event.data.text];
    default:
      return undefined;
  }
}

export function shown(text: LongText): string {
  return typeof text === "string" ? text : text.preview;
}

/** Without case and accents, as it is looked up: "Čeština" is found as "cestina". */
export function folded(text: string): string {
  const lower = text.toLowerCase();
  return ASCII.test(lower)
    ? lower
    : lower
        .normalize("NFD")
        .replaceAll(/\p{Mn}/gu, "")
        .normalize("NFC");
}
const ASCII = /^[\0-\x7f]*$/;
