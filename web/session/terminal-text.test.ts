import { expect, test } from "vitest";
import { terminalRuns } from "./terminal-text.ts";

const plain = (said: string) =>
  terminalRuns(said)
    .map(({ text }) => text)
    .join("");

test("colours become names, and end where they are ended", () => {
  expect(terminalRuns("a \u001b[1;31mFAIL\u001b[0m b \u001b[92mok\u001b[39m c")).toEqual([
    { text: "a ", style: "" },
    { text: "FAIL", style: "bold red" },
    { text: " b ", style: "" },
    { text: "ok", style: "green" },
    { text: " c", style: "" },
  ]);
  expect(terminalRuns("\u001b[38;5;1mx\u001b[38;2;1;2;3my")).toEqual([
    { text: "x", style: "red" },
    { text: "y", style: "" },
  ]);
});

test("what moves a cursor, renames the window or hides a link leaves nothing", () => {
  expect(
    plain("a\u001b[2J\u001b[1;1Hb\u001b]0;owned\u0007c\u001b]8;;http://evil.example\u001b\\d\u001b(Be"),
  ).toBe("abcde");
});

test("a line that was written over is as it was last", () => {
  expect(plain("10 %\r50 %\r100 %\ndone\r\n")).toBe("100 %\ndone\n");
  expect(plain("ab\bc")).toBe("ac");
});

test("other controls and turned writing are shown as what they are", () => {
  expect(plain("a\u0000b\u202ec")).toBe("a␀b⟨U+202E⟩c");
});

test("an escape that never ends hides no more than itself", () => {
  expect(plain("a\u001b")).toBe("a");
  expect(plain("a\u001b[31")).toBe("a31");
  expect(plain("a\u001b]0;title\nnext line")).toBe("a\nnext line");
});

test("however long a line is and however often it changes its colour, it is bounded", () => {
  const line = "x".repeat(1_000_000); // takes minutes where a pattern goes back and forth in it
  expect(plain(line)).toBe(line);
  const colourful = terminalRuns("\u001b[31ma\u001b[32mb".repeat(50_000));
  expect(colourful.length).toBeLessThan(6000);
  expect(colourful.map(({ text }) => text).join("")).toBe("ab".repeat(50_000));
});
