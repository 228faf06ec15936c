// The words of a text without case and accents, for looking things up: "Čeština" is found as "cestina".
import { folded, words } from "../session/search-text.ts";

/** A longer run of letters is no word. */
export const WORD_MAX_CHARS = 200;

const ASCII = /^[\0-\x7f]*$/;

export function searchWords(text: string): string[] {
  return Array.from(new Set(words(folded(text)).map((word) => word.slice(0, WORD_MAX_CHARS))));
}

/** What is asked for: each word, and at the end the last, which alone may go on. */
export function askedWords(query: string): string[] {
  const asked = words(folded(query)).map((word) => word.slice(0, WORD_MAX_CHARS));
  return [...new Set(asked.slice(0, -1)), ...asked.slice(-1)];
}

/** As they stand in the text, again and again, with a space between: a third of the work, for what is sorted later. */
export function plainWords(text: string): string {
  const lower = text.toLowerCase();
  const parted = ASCII.test(lower)
    ? lower.replaceAll(PARTING, " ")
    : folded(lower).replaceAll(/[^\p{L}\p{N}_]+/gu, " ");
  const trimmed = parted.trim();
  const plain = hasOverlong(trimmed) ? trimmed.replaceAll(OVERLONG, "$1") : trimmed;
  return plain.length > LONG_CHARS ? Array.from(new Set(plain.split(" "))).join(" ") : plain;
}
/** In a text of more than this most words come again: without that, far less is written with the append. */
const LONG_CHARS = 16 * 1024;

/** Whatever parts words but the one space that stays as it is. */
const PARTING = /(?: [^a-z0-9_]|[^a-z0-9_ ])[^a-z0-9_]*/g;
const OVERLONG = new RegExp(`(\\S{${WORD_MAX_CHARS}})\\S+`, "g");

/** One that is too long covers a place that we look at; the expression would look at each. */
function hasOverlong(words: string): boolean {
  for (let at = 0; at < words.length; at += WORD_MAX_CHARS) {
    const end = words.indexOf(" ", at);
    const length = (end === -1 ? words.length : end) - 1 - words.lastIndexOf(" ", at);
    if (length > WORD_MAX_CHARS) return true;
  }
  return false;
}

/** What the filter for titles looks at: the title's words, each with a space in front. */
export function titleWords(title: string | null): string {
  return searchWords(title ?? "")
    .map((word) => ` ${word}`)
    .join("");
}
