import fc from "fast-check";
import { expect, test } from "vitest";
import { countOf, diffOf, type DiffLine } from "./diff.ts";

const words = (lines: DiffLine[]) =>
  lines.map((line) =>
    line.kind === "skipped"
      ? `… ${line.count}`
      : `${{ same: " ", gone: "-", new: "+" }[line.kind]}${line.text}`,
  );

test("a change in the middle stands between what stays", () => {
  expect(words(diffOf("a\nb\nc\n", "a\nB\nc\n"))).toEqual([" a", "-b", "+B", " c"]);
});

test("a new file is all new, an emptied one all gone", () => {
  expect(words(diffOf("", "a\nb"))).toEqual(["+a", "+b"]);
  expect(words(diffOf("a\n", ""))).toEqual(["-a"]);
});

test("far from a change the lines that stay are only counted", () => {
  const old = Array.from({ length: 20 }, (_, n) => `line ${n}`);
  const now = old.with(10, "other");
  expect(words(diffOf(old.join("\n"), now.join("\n")))).toEqual([
    "… 7",
    " line 7",
    " line 8",
    " line 9",
    "-line 10",
    "+other",
    " line 11",
    " line 12",
    " line 13",
    "… 6",
  ]);
});

test("what stays and what went are the old text, what stays and what came the new one", () => {
  const text = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 6 });
  fc.assert(
    fc.property(text, text, (old, now) => {
      const lines = diffOf(old.join("\n"), now.join("\n"));
      const kept = (...kinds: string[]) =>
        lines.flatMap((line) => (line.kind !== "skipped" && kinds.includes(line.kind) ? [line.text] : []));
      const skipped = lines.reduce((sum, line) => sum + (line.kind === "skipped" ? line.count : 0), 0);
      fc.pre(skipped === 0);
      expect(kept("same", "gone")).toEqual(old);
      expect(kept("same", "new")).toEqual(now);
    }),
  );
});

test("texts too long to compare are replaced whole, and counted", () => {
  const of = (name: string) => Array.from({ length: 3000 }, (_, n) => `${name} ${n}`).join("\n");
  expect(countOf(diffOf(of("a"), of("b")))).toEqual({ added: 3000, removed: 3000 });
});
