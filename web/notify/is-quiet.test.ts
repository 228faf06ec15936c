import { expect, test } from "vitest";
import { isQuiet } from "./is-quiet.ts";

const at = (time: string) => new Date(`2026-03-01T${time}:00`);

test.each([
  ["22:00", "07:00", "23:30", true],
  ["22:00", "07:00", "06:59", true],
  ["22:00", "07:00", "07:00", false],
  ["22:00", "07:00", "21:59", false],
  ["12:00", "13:00", "12:00", true],
  ["12:00", "13:00", "13:00", false],
  ["08:00", "08:00", "08:00", false],
])("from %s until %s it is at %s quiet: %s", (from, until, time, quiet) => {
  expect(isQuiet({ from, until }, at(time))).toBe(quiet);
});

test("without quiet hours it is never quiet", () => {
  expect(isQuiet(null, at("03:00"))).toBe(false);
});
