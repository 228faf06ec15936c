// What a step, a turn or a session has cost so far.
import type { Usage } from "./event.ts";

export const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0 };

export function addUsage(sum: Usage, usage: Usage): void {
  sum.inputTokens += usage.inputTokens;
  sum.outputTokens += usage.outputTokens;
  if (usage.cachedTokens !== undefined) sum.cachedTokens = (sum.cachedTokens ?? 0) + usage.cachedTokens;
  if (usage.reasoningTokens !== undefined)
    sum.reasoningTokens = (sum.reasoningTokens ?? 0) + usage.reasoningTokens;
  if (usage.cost !== undefined) sum.cost = (sum.cost ?? 0) + usage.cost;
  const unpriced = unpricedTokens(usage);
  if (unpriced > 0) sum.unpricedTokens = (sum.unpricedTokens ?? 0) + unpriced;
}

/** The tokens for which no price was known: what they cost, nobody can say. */
export function unpricedTokens({ inputTokens, outputTokens, cost, unpricedTokens: known }: Usage): number {
  return known ?? (cost === undefined ? inputTokens + outputTokens : 0);
}

/** Of a sum that says null for a cost that nobody knows. */
export function withKnownCost({ cost, ...usage }: Omit<Usage, "cost"> & { cost: number | null }): Usage {
  return cost === null ? usage : { ...usage, cost };
}
