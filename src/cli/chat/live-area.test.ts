import { styleText } from "node:util";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { virtualScreen } from "../../../test/virtual-screen.ts";
import { flow, ORIGIN } from "./flow.ts";
import { LiveArea, type Region } from "./live-area.ts";

const COLUMNS = 10;

const drawn = () => new Promise((resolve) => setImmediate(resolve));

const words = fc.string({ unit: fc.constantFrom("a", "b", "c", " ", " ", "\n", "x", "漢"), maxLength: 30 });
const line = fc.string({ unit: fc.constantFrom("p", "q"), minLength: 1, maxLength: COLUMNS - 1 });

/** The rows of a text that comes all at once. */
function rowsOf(text: string): string[] {
  return flow(text, ORIGIN, COLUMNS)
    .text.split("\n")
    .map((row) => row.trimEnd());
}

describe("text that flows", () => {
  it("is broken at words, and a word only if it is longer than a row", () => {
    expect(rowsOf("one two three four")).toEqual(["one two", "three", "four"]);
    expect(rowsOf("abcdefghijklmnop qr")).toEqual(["abcdefghi", "jklmnop", "qr"]);
    expect(rowsOf("ab abcdefghijkl")).toEqual(["ab abcdef", "ghijkl"]);
    expect(rowsOf("  │ indented words")).toEqual(["  │", "indented", "words"]);
    expect(rowsOf("漢字漢字 漢字")).toEqual(["漢字漢字", "漢字"]);
  });

  it("loses nothing but the spaces at the ends of rows, and never fills one", () => {
    fc.assert(
      fc.property(words, (text) => {
        const rows = rowsOf(text);
        expect(rows.join("").replaceAll(/\s/g, "")).toBe(text.replaceAll(/\s/g, ""));
        for (const row of rows) expect(row.length).toBeLessThan(COLUMNS);
      }),
    );
  });

  it("knows which styles are open where it ends", () => {
    const dim = styleText("dim", "dim words", { validateStream: false });
    expect(flow(dim.slice(0, 8), ORIGIN, COLUMNS).to).toMatchObject({ column: 4, styles: ["2"] });
    expect(flow(dim, ORIGIN, COLUMNS).to.styles).toEqual([]);
    const red = styleText(["bold", "red"], "x", { validateStream: false });
    expect(flow(red, ORIGIN, COLUMNS).to.styles).toEqual([]);
  });
});

describe("the live area", () => {
  it("keeps its region under a text that grows, however either changes and wherever the text is cut", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(words, fc.array(line, { minLength: 1, maxLength: 4 })), {
          minLength: 1,
          maxLength: 12,
        }),
        async (steps) => {
          const screen = virtualScreen(COLUMNS, 8);
          let region: Region = { lines: [], cursor: { line: 0, column: 0 } };
          const area = new LiveArea(screen.stdout, () => region);
          let text = "";
          for (const [more, lines] of steps) {
            text += more;
            const at = lines.length - 1;
            region = { lines, cursor: { line: at, column: lines[at]?.length ?? 0 } };
            area.write(more);
            await drawn();
            const { column } = flow(text, ORIGIN, COLUMNS).to;
            const above = column > 0 ? rowsOf(text) : rowsOf(text).slice(0, -1);
            expect(screen.rows()).toEqual([...above, ...lines]);
            expect(screen.cursor()).toEqual({ row: above.length + at, column: region.cursor.column });
          }
          area.close();
          expect(screen.text()).toBe(rowsOf(text).join("\n").trimEnd());
        },
      ),
      { numRuns: 300 },
    );
  });

  it("puts the cursor where the region says, and finds back from there", async () => {
    const screen = virtualScreen();
    let column = 3;
    const area = new LiveArea(screen.stdout, () => ({
      lines: ["status", "❯ typed", "below"],
      cursor: { line: 1, column },
    }));
    area.write("said");
    await drawn();
    expect([screen.rows(), screen.cursor()]).toEqual([
      ["said", "status", "❯ typed", "below"],
      { row: 2, column: 3 },
    ]);
    column = 5;
    area.write(" more\nand\tmore");
    await drawn();
    expect([screen.rows(), screen.cursor()]).toEqual([
      ["said more", "and    more", "status", "❯ typed", "below"],
      { row: 3, column: 5 },
    ]);
  });

  it("begins anew below what a terminal of another width has made of the old rows", async () => {
    const screen = virtualScreen();
    const area = new LiveArea(screen.stdout, () => ({ lines: ["❯"], cursor: { line: 0, column: 1 } }));
    area.write("said\n");
    await drawn();
    screen.stdout.emit("resize");
    await drawn();
    expect(screen.rows()).toEqual(["said", "❯", "❯"]);
  });
});
