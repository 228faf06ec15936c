// Anthropic caches a prompt only up to the points that it is told, and looks for an earlier one at most 20 blocks back.
import type { Prompt, PromptMessage } from "./model.ts";

/**
 * After the instructions, where the last call ended (to find what it left, however much one step added since) and at
 * the end (for the next one): three of the four that are allowed.
 */
export function markCachePoints(prompt: Prompt): void {
  const asked = prompt.filter(({ role }) => role !== "assistant");
  const before = prompt.findLastIndex(({ role }) => role === "assistant") - 1;
  const points = new Set([asked.find(({ role }) => role === "system"), prompt[before], asked.at(-1)]);
  for (const message of points) if (message && message.role !== "assistant") mark(message);
}

function mark(message: PromptMessage): void {
  message.providerOptions = { anthropic: { cacheControl: { type: "ephemeral" } } };
}
