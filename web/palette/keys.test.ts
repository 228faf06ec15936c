import { expect, test } from "vitest";
import { ariaKeys, fits, keyWords } from "./keys.ts";

const press = (
  key: string,
  held: Partial<Record<"ctrlKey" | "metaKey" | "shiftKey" | "altKey", true>> = {},
) => ({
  key,
  ctrlKey: false,
  metaKey: false,
  shiftKey: false,
  altKey: false,
  ...held,
});

test("mod is the command key on a Mac and Ctrl elsewhere, and neither counts for the other", () => {
  expect(fits("mod+k", press("k", { metaKey: true }), true)).toBe(true);
  expect(fits("mod+k", press("k", { ctrlKey: true }), true)).toBe(false);
  expect(fits("mod+k", press("K", { ctrlKey: true }), false)).toBe(true);
  expect(fits("mod+k", press("k"), false)).toBe(false);
  expect(fits("mod+k", press("k", { ctrlKey: true, altKey: true }), false)).toBe(false);
});

test("Shift counts for letters, and not for signs that some keyboards have above others", () => {
  expect(fits("mod+shift+o", press("O", { ctrlKey: true, shiftKey: true }), false)).toBe(true);
  expect(fits("mod+o", press("O", { ctrlKey: true, shiftKey: true }), false)).toBe(false);
  expect(fits("mod+/", press("/", { ctrlKey: true, shiftKey: true }), false)).toBe(true);
});

test("keys are named as each system names them", () => {
  expect(keyWords("mod+shift+o", true)).toBe("⇧⌘O");
  expect(keyWords("mod+shift+o", false)).toBe("Ctrl+Shift+O");
  expect(ariaKeys("mod+k")).toBe("Meta+K Control+K");
});
