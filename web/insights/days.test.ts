import { expect, test } from "vitest";
import { daysUntil, dayWords, hasLabel, parseRange } from "./days.ts";

const LATE = Date.parse("2026-03-01T23:59:59Z");

test("a period ends today and goes over the ends of months, in UTC wherever the reader is", () => {
  expect(daysUntil(LATE, 3)).toEqual(["2026-02-27", "2026-02-28", "2026-03-01"]);
  expect(daysUntil(LATE + 1000, 1)).toEqual(["2026-03-02"]);
  expect(dayWords("2026-03-01")).toBe("1 Mar");
});

test.each([7, 30, 90])("of %i days today has a label and no more than seven have one", (count) => {
  const labelled = Array.from({ length: count }, (_, n) => hasLabel(n, count));
  expect(labelled.at(-1)).toBe(true);
  expect(labelled.filter(Boolean).length).toBeLessThanOrEqual(7);
});

test("an address that names no period we have shows the usual one", () => {
  expect([parseRange("7"), parseRange("8"), parseRange(null)]).toEqual([7, 30, 30]);
});
