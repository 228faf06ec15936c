import type { Usage } from "../../src/session/event.ts";

/** Tokens always; money only where a price is known, and then also how much is not in it. */
export function usageWords({ inputTokens, outputTokens, cost, unpricedTokens = 0 }: Usage): string {
  const tokens = `${shortNumber(inputTokens + outputTokens)} tokens`;
  if (cost === undefined) return tokens;
  const unpriced = unpricedTokens > 0 ? ` + ${shortNumber(unpricedTokens)} unpriced` : "";
  return `${tokens} · ${money(cost)}${unpriced}`;
}

/** 940, 12.4k, 214k, 1.2M. */
export function shortNumber(n: number): string {
  if (n < 1000) return String(n);
  if (n < 100_000) return `${trimmed(n / 1000)}k`;
  if (n < 1_000_000) return `${Math.floor(n / 1000)}k`;
  return `${trimmed(n / 1_000_000)}M`;
}

export function money(dollars: number): string {
  return dollars > 0 && dollars < 0.01 ? "< $0.01" : `$${dollars.toFixed(2)}`;
}

function trimmed(n: number): string {
  return (Math.floor(n * 10) / 10).toString();
}
