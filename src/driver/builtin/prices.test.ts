import { expect, test } from "vitest";
import { costOf } from "./prices.ts";

const USAGE = { inputTokens: 1_000_000, outputTokens: 500_000, cachedTokens: 400_000 };

test("a step costs what its tokens cost by the million", () => {
  expect(costOf(USAGE, "p/m", { "p/m": { input: 3, output: 15 } })).toBeCloseTo(3 + 7.5);
});

test("cached input has its own price where one is configured", () => {
  expect(costOf(USAGE, "p/m", { "p/m": { input: 3, output: 0, cachedInput: 0.3 } })).toBeCloseTo(1.8 + 0.12);
});

test("a model without a price has no cost, and one that is free costs nothing", () => {
  expect(costOf(USAGE, "p/m", {})).toBeUndefined();
  expect(costOf(USAGE, "constructor", {})).toBeUndefined();
  expect(costOf(USAGE, "p/m", { "p/m": { input: 0, output: 0 } })).toBe(0);
});
