// The words of a text without case and accents, for looking things up: "Čeština" is found as "cestina".
import { words } from "../session/search-text.ts";

/** A longer run of letters is no word. */
export const WORD_MAX_CHARS = 200;

const ASCII = /^[\0-\x7f]*$/;

export function searchWords(text: string): string[] {
  return Array.from(new Set(words(folded(text)).map((word) => word.slice(0, WORD_MAX_CHARS))));
}

/** As they stand in the text, again and again, with a space between: a third of the work, for what is sorted later. */
export function plainWords(text: string): string {
  return folded(text)
    .replaceAll(/[^\p{L}\p{N}_]+/gu, " ")
    .trim()
    .replaceAll(OVERLONG, "$1");
}

const OVERLONG = new RegExp(`(\\S{${WORD_MAX_CHARS}})\\S+`, "g");

/** What the filter for titles looks at: the title's words, each with a space in front. */
export function titleWords(title: string | null): string {
  return searchWords(title ?? "")
    .map((word) => ` ${word}`)
    .join("");
}

export function folded(text: string): string {
  const lower = text.toLowerCase();
  return ASCII.test(lower)
    ? lower
    : lower
        .normalize("NFD")
        .replaceAll(/\p{Mn}/gu, "")
        .normalize("NFC");
}
