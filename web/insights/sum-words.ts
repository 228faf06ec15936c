import type { UsageItem } from "../../src/client/commands.ts";
import { usageWords } from "../session/usage-words.ts";

type Sum = Pick<UsageItem, "inputTokens" | "outputTokens" | "cost" | "unpricedTokens">;

export function sumWords({ inputTokens, outputTokens, cost, unpricedTokens }: Sum): string {
  return usageWords({ inputTokens, outputTokens, unpricedTokens, ...(cost === null ? {} : { cost }) });
}

export function tokensOf({ inputTokens, outputTokens }: Sum): number {
  return inputTokens + outputTokens;
}
