import fc from "fast-check";
import { expect, it } from "vitest";
import { folded, words } from "../session/search-text.ts";
import { plainWords, WORD_MAX_CHARS } from "./words.ts";

const piece = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 6 }),
  fc.constantFrom(" ", "  ", ", ", "\n", "_", "É", "日本"),
  fc.integer({ min: WORD_MAX_CHARS - 2, max: WORD_MAX_CHARS + 2 }).map((length) => "x".repeat(length)),
);

it("the words of a text are the same whichever way they are taken, one space between, none too long", () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const text = pieces.join("");
      const taken = words(folded(text)).map((word) => word.slice(0, WORD_MAX_CHARS));
      expect(plainWords(text)).toBe(taken.join(" "));
    }),
  );
});
