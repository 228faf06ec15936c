import { expect, test } from "vitest";
import { titleFrom } from "./title.ts";

test("a session is called by the first line of its first input", () => {
  expect(titleFrom("  Fix the   build\nand tell me why it broke")).toBe("Fix the build");
});

test("what no title may have is left out of it", () => {
  expect(titleFrom("a\0b\nc")).toBe("ab");
  expect(titleFrom("a\ud800b")).toBe("a\ufffdb");
});

test("a long line ends at a word", () => {
  const title = titleFrom("word ".repeat(40));
  expect(title.length).toBeLessThanOrEqual(73);
  expect(title).toMatch(/word…$/);
});

test("a line without spaces is cut, but never inside a character", () => {
  const title = titleFrom(`x${"😀".repeat(60)}`);
  expect(title.isWellFormed()).toBe(true);
  expect(title).toMatch(/…$/);
});
