import { expect, test } from "vitest";
import { visiblePieces } from "./visible-text.ts";

const shown = (text: string) =>
  visiblePieces(text)
    .map((piece) => (piece.hidden ? `[${piece.text}]` : piece.text))
    .join("");

test("ordinary text in any script is left as it is", () => {
  const text = "psql -c 'select 1' # Größe, 日本語, שלום, 🙂\n\tindented";
  expect(visiblePieces(text)).toEqual([{ text, hidden: false }]);
});

test.each([
  ["a carriage return that overwrites the line", "rm -rf /\rls", "rm -rf /[U+000D]ls"],
  ["a terminal's escape", "\u001b[2Kls", "[U+001B][2Kls"],
  ["a right-to-left override", "ls \u202egnp.exe", "ls [U+202E]gnp.exe"],
  ["an isolate", "\u2066a\u2069", "[U+2066]a[U+2069]"],
  ["a zero-width space", "rm\u200b -rf", "rm[U+200B] -rf"],
  ["a no-break space", "rm\u00a0-rf", "rm[U+00A0]-rf"],
  ["a filler that looks like nothing", "a\u3164b", "a[U+3164]b"],
  ["a tag beyond the first plane", "a\u{e0041}b", "a[U+E0041]b"],
  ["half a character", "a\ud800b", "a[U+D800]b"],
  ["a line separator", "ls\u2028rm", "ls[U+2028]rm"],
])("%s is shown as what it is", (_, text, expected) => {
  expect(shown(text)).toBe(expected);
});
