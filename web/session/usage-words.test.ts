import { expect, test } from "vitest";
import { usageWords } from "./usage-words.ts";

test("what was used is told in tokens, in money only where a price is known, and with what is not in it", () => {
  const tokens = { inputTokens: 12_000, outputTokens: 400 };
  expect(usageWords(tokens)).toBe("12.4k tokens");
  expect(usageWords({ ...tokens, unpricedTokens: 12_400 })).toBe("12.4k tokens");
  expect(usageWords({ ...tokens, cost: 0 })).toBe("12.4k tokens · $0.00");
  expect(usageWords({ ...tokens, cost: 1.5, unpricedTokens: 2_000 })).toBe(
    "12.4k tokens · $1.50 + 2k unpriced",
  );
});
