import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { BLOCKS_MAX, createBlocks, MARKDOWN_MAX_CHARS, wholeBlocks } from "./blocks.ts";

/** Lines that mean something to Markdown, and most of all to the lines around them. */
const LINES = [
  "# A heading",
  "Some *words* with `code` and a [link](https://example.org).",
  "- one",
  "- [x] done",
  "  - deeper",
  "1. first",
  "    indented",
  "> said",
  "```ts",
  "const a = 1;",
  "```",
  "~~~",
  "| a | b |",
  "|---|---|",
  "| 1 | 2 |",
  "---",
  "===",
  "[ref]: https://example.org",
  "see [ref] and ![image](x.png)",
  "<details>",
  "</details>",
  "<!-- no",
  "two\r",
  "",
  "",
  "",
];
const markdown = fc
  .array(fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...LINES) }, fc.string({ maxLength: 12 })), {
    maxLength: 30,
  })
  .map((lines) => lines.join("\n"));
/** A text and the places at which it is cut. */
const cut = markdown.chain((text) =>
  fc.tuple(
    fc.constant(text),
    fc
      .array(fc.nat({ max: text.length }), { maxLength: 20 })
      .map((at) => [...at, text.length].toSorted((a, b) => a - b)),
  ),
);

test("however a text is cut into growing pieces, its blocks in the end are those of the whole", () => {
  fc.assert(
    fc.property(cut, ([text, ends]) => {
      const blocks = createBlocks();
      for (const end of ends) blocks(text.slice(0, end), true);
      expect(blocks(text, false)).toEqual(wholeBlocks(text.replaceAll(/\r\n?/g, "\n")));
    }),
    { numRuns: 500 },
  );
});

test("a block that is finished is never made again while the text grows", () => {
  fc.assert(
    fc.property(cut, ([text, ends]) => {
      const blocks = createBlocks();
      let finished: unknown[] = [];
      for (const end of ends) {
        const now = blocks(text.slice(0, end), true);
        expect(finished.every((block, n) => now[n] === block)).toBe(true);
        finished = now.filter(({ isGrowing }) => !isGrowing);
      }
    }),
    { numRuns: 300 },
  );
});

test("what did not change stays the same when the text is whole", () => {
  const blocks = createBlocks();
  const text = "# One\n\nTwo.\n\nThree.";
  const grown = blocks(text, true);
  const whole = blocks(text, false);
  expect(whole[0]).toBe(grown[0]);
  expect(whole[1]).toBe(grown[1]);
  expect(grown[2]).toMatchObject({ isGrowing: true });
  expect(whole[2]).toMatchObject({ isGrowing: false });
});

test("a link that is defined below what uses it leads there in the end", () => {
  const blocks = createBlocks();
  const text = "See [ref].\n\nMore.\n\n[ref]: https://example.org";
  blocks(text, true);
  expect(blocks(text, false)[0]?.html).toContain('href="https://example.org"');
});

test("a text that is replaced begins anew", () => {
  const blocks = createBlocks();
  blocks("One.\n\nTwo.\n\nThree.", true);
  expect(blocks("Other.", true)).toEqual([{ html: "<p>Other.</p>\n", isGrowing: true }]);
});

test("a line of marks alone is not taken for a heading or a list before the next piece says what it is", () => {
  const blocks = createBlocks();
  expect(blocks("The steps:\n-", true)).toHaveLength(1);
  expect(blocks("The steps:\n-", true)[0]?.html).not.toContain("<h4>");
  expect(blocks("The steps:\n- one", true).at(-1)?.html).toContain("<ul>");
});

describe("a hostile text", () => {
  const fill = (piece: string) => piece.repeat(Math.ceil(64_000 / piece.length));
  // What would take seconds, unfold to megabytes or run out of stack; a limit that is gone shows as a timeout.
  it.each([
    ["quotes", fill(">")],
    ["ordered lists", fill("1. ")],
    ["underscores", fill("a_")],
    ["strong marks", fill("**a")],
    ["a table of a thousand columns", `${"|a".repeat(1000)}\n${"|-".repeat(1000)}\n${fill("|b\n")}`],
    ["a table of many short rows", `${"|a".repeat(50)}\n${"|-".repeat(50)}\n${fill("|\n")}`],
  ])("is bounded: %s", (_, text) => {
    const html = wholeBlocks(text).map((block) => block.html);
    expect(html.join("").length).toBeLessThan(20 * text.length);
  });

  it("is shown whole, with what is too much for Markdown as it is written", () => {
    const many = wholeBlocks(fill("# x\n"));
    expect(many).toHaveLength(BLOCKS_MAX + 1);
    const long = wholeBlocks(`Start.\n\n${"y".repeat(MARKDOWN_MAX_CHARS)}end`);
    expect(long.at(-1)?.html).toMatch(/^<p class="raw">y+end<\/p>$/);
  });
});
