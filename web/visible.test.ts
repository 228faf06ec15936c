import { expect, test } from "vitest";
import { visible } from "./visible.ts";

test("what would hide or turn around is shown as what it is, and all else stays", () => {
  expect(visible("rm \u202Etxt.exe")).toBe("rm ⟨U+202E⟩txt.exe");
  expect(visible("a\u200bb\u0000c\u0007")).toBe("a⟨U+200B⟩b␀c␇");
  expect(visible("tab\tand\nline, Ünïcode 日本 👩‍👩‍👧")).toBe("tab\tand\nline, Ünïcode 日本 👩‍👩‍👧");
});
