// Full-text search without the database's own notion of a word, which takes paths and host names whole: the words
// of src/session/search-text.ts, folded to plain letters, are what is indexed and what is asked for.
import { words } from "../../session/search-text.ts";

/** A longer run of letters is no word; PostgreSQL itself takes 2 KB. */
const WORD_MAX_CHARS = 200;

const ASCII = /^[\0-\x7f]*$/;

export function searchWords(text: string): string[] {
  return Array.from(new Set(words(folded(text)).map((word) => word.slice(0, WORD_MAX_CHARS))));
}

/** All words must be there, and the last may go on. Undefined when the query has none. */
export function searchQuery(query: string): string | undefined {
  const asked = searchWords(query).map((word) => `'${word}'`); // letters and digits: nothing in them to escape
  return asked.length === 0 ? undefined : `${asked.join(" & ")}:*`;
}

/** Without case and accents, so that "Čeština" is found as "cestina". */
export function folded(text: string): string {
  const lower = text.toLowerCase();
  return ASCII.test(lower)
    ? lower
    : lower
        .normalize("NFD")
        .replaceAll(/\p{Mn}/gu, "")
        .normalize("NFC");
}
