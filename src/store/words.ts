// The words of a text without case and accents, for looking things up: "Čeština" is found as "cestina".
import { words } from "../session/search-text.ts";

/** A longer run of letters is no word. */
const WORD_MAX_CHARS = 200;

const ASCII = /^[\0-\x7f]*$/;

export function searchWords(text: string): string[] {
  return Array.from(new Set(words(folded(text)).map((word) => word.slice(0, WORD_MAX_CHARS))));
}

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
