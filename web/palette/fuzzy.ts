// How well a title fits what was typed: each word of the query must begin a word of it, stand within it, or at least
// be made of the beginnings of some.
export type Span = { from: number; to: number };
export type Fit = { score: number; spans: Span[] };

/** Undefined when it does not fit. The empty query fits everything alike. */
export function fit(text: string, query: string): Fit | undefined {
  const folded = fold(text);
  const asked = fold(query.trim()).split(/\s+/).filter(Boolean);
  let score = 0;
  const spans: Span[] = [];
  for (const word of asked) {
    const found = fitWord(folded, word);
    if (!found) return undefined;
    score += found.score / asked.length;
    spans.push(...found.spans);
  }
  return { score, spans: joined(spans) };
}

/** A beginning of the title is best, then of a word, then the inside of one, then letters from several words. */
function fitWord(text: string, word: string): Fit | undefined {
  let inside = -1;
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if (at === 0 || startsWord(text, at))
      return { score: at === 0 ? 4 : 3, spans: [{ from: at, to: at + word.length }] };
    if (inside < 0) inside = at;
  }
  if (inside >= 0) return { score: 2, spans: [{ from: inside, to: inside + word.length }] };
  return scattered(text, word);
}

/** Letters in order, each at the start of a word or right behind the one before: "mibe" for "Migrate billing to events". */
function scattered(text: string, word: string): Fit | undefined {
  const spans: Span[] = [];
  let at = 0;
  for (const letter of word) {
    if (spans.length === 0 || text.charAt(at) !== letter) at = nextStart(text, letter, at);
    if (at < 0) return undefined;
    spans.push({ from: at, to: at + 1 });
    at += 1;
  }
  return { score: 1, spans };
}

function nextStart(text: string, letter: string, from: number): number {
  for (let at = text.indexOf(letter, from); at >= 0; at = text.indexOf(letter, at + 1))
    if (startsWord(text, at)) return at;
  return -1;
}

function startsWord(text: string, at: number): boolean {
  return at === 0 || !/[\p{L}\p{N}]/u.test(text.charAt(at - 1));
}

/** In order, and without overlaps. */
function joined(spans: Span[]): Span[] {
  const all: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.from - b.from)) {
    const last = all.at(-1);
    if (last && span.from <= last.to) last.to = Math.max(last.to, span.to);
    else all.push({ ...span });
  }
  return all;
}

/** Length-preserving, so that an index into the folded text is one into the text. */
function fold(text: string): string {
  return ASCII.test(text) ? text.toLowerCase() : Array.from(text, foldedChar).join("");
}
const ASCII = /^[\0-\x7f]*$/;

/** Kept, since titles have the same few again and again. */
function foldedChar(char: string): string {
  if (char.length > 1) return char;
  const known = foldedChars.get(char);
  if (known !== undefined) return known;
  const base = char.toLowerCase().normalize("NFD").slice(0, 1);
  foldedChars.set(char, base);
  return base;
}
const foldedChars = new Map<string, string>();
