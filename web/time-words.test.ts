import { expect, test } from "vitest";
import { age, ago, clockTime, duration } from "./time-words.ts";

const NOW = Date.parse("2026-11-15T12:00:00");
const before = (ms: number) => new Date(NOW - ms).toISOString();
const HOUR = 3_600_000;

test.each([
  [-5_000, "now"], // the server's clock is ahead of ours
  [59_000, "now"],
  [60_000, "1m"],
  [59 * 60_000, "59m"],
  [HOUR, "1h"],
  [23 * HOUR, "23h"],
  [25 * HOUR, "Sat"],
  [20 * 24 * HOUR, "26 Oct"],
  [400 * 24 * HOUR, "11 Oct 2025"],
])("%d ms ago is %s", (ms, words) => {
  expect(age(before(ms), NOW)).toBe(words);
});

test("within a sentence a time of day is said to be ago, and a day stays as it is", () => {
  expect([60_000, 2 * HOUR, 0, 25 * HOUR].map((ms) => ago(before(ms), NOW))).toEqual([
    "1m ago",
    "2h ago",
    "now",
    "Sat",
  ]);
});

test.each([
  [-1, "0.0 s"],
  [420, "0.4 s"],
  [9_999, "9.9 s"],
  [38_000, "38 s"],
  [372_000, "6 m 12 s"],
  [3 * HOUR + 5 * 60_000, "3 h 05 m"],
])("%d ms last %s", (ms, words) => {
  expect(duration(ms)).toBe(words);
});

test("a time of another day says the day", () => {
  expect(clockTime(before(HOUR), NOW)).toBe("11:00");
  expect(clockTime(before(30 * HOUR), NOW)).toBe("14 Nov 06:00");
});
