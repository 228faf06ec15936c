import { expect, test } from "vitest";
import { cutTo, displayWidth, exact, visible, visibleLine } from "./visible.ts";

test("what others wrote can't steer the terminal", () => {
  expect(visible("\u001b[2J\u001b]0;title\u0007hello \u001b[31mred\u001b[0m")).toBe("hello red");
  expect(visible("bell \u0007, cut escape \u001b")).toBe("bell ␇, cut escape ␛");
  expect(visible("c1 \u009b31m")).not.toContain("\u009b");
});

test("what turns the direction of writing around becomes visible", () => {
  expect(visible("rm \u202eftp.exe")).toBe("rm <U+202E>ftp.exe");
});

test("of what is to be approved nothing is left out", () => {
  expect(exact("a\u001b[2Jb\rc\n")).toBe("a␛[2Jb␍c\n");
});

test("lines stay lines, however they end, and a cell is one", () => {
  expect(visible("a\r\nb\rc\n\td")).toBe("a\nb\nc\n\td");
  expect(visibleLine("  a\r\n\tb  ")).toBe("a b");
});

test("wide characters take two columns, joined ones no more than the one they join to", () => {
  expect(displayWidth("abc")).toBe(3);
  expect(displayWidth("日本")).toBe(4);
  expect(displayWidth("👩‍👩‍👧!")).toBe(3);
  expect(displayWidth("e\u0301")).toBe(1);
});

test("a cut text fits its width, and says that something was left out", () => {
  expect(cutTo("hello", 5)).toBe("hello");
  expect(cutTo("hello!", 5)).toBe("hell…");
  expect(cutTo("日本語", 4)).toBe("日…");
  expect(displayWidth(cutTo("👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧", 5))).toBeLessThanOrEqual(5);
});
