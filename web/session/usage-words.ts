import type { Usage } from "../../src/session/event.ts";

/** Tokens always; money only when the model's price is known. */
export function usageWords({ inputTokens, outputTokens, cost }: Usage): string {
  const tokens = `${shortNumber(inputTokens + outputTokens)} tokens`;
  return cost === undefined ? tokens : `${tokens} · ${money(cost)}`;
}

/** 940, 12.4k, 214k, 1.2M. */
export function shortNumber(n: number): string {
  if (n < 1000) return String(n);
  if (n < 100_000) return `${trimmed(n / 1000)}k`;
  if (n < 1_000_000) return `${Math.floor(n / 1000)}k`;
  return `${trimmed(n / 1_000_000)}M`;
}

function money(dollars: number): string {
  return dollars > 0 && dollars < 0.01 ? "< $0.01" : `$${dollars.toFixed(2)}`;
}

function trimmed(n: number): string {
  return (Math.floor(n * 10) / 10).toString();
}
