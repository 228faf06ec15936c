// What a step cost. Only a price that someone wrote down counts: an unknown model shows tokens, never a made-up cost.
import type { Usage } from "../../session/event.ts";

/** US dollars for a million tokens. Cached input costs as much as other input unless it has a price of its own. */
export type Price = { input: number; output: number; cachedInput?: number | undefined };

/** By `<provider>/<model>`. */
export type Prices = Readonly<Record<string, Price>>;

export function costOf(usage: Usage, model: string, prices: Prices): number | undefined {
  const price = Object.hasOwn(prices, model) ? prices[model] : undefined;
  if (!price) return undefined;
  const cached = Math.min(usage.cachedTokens ?? 0, usage.inputTokens);
  const dollars =
    (usage.inputTokens - cached) * price.input +
    cached * (price.cachedInput ?? price.input) +
    usage.outputTokens * price.output;
  return dollars / 1_000_000;
}
