// How full the model's context is, as far as that is known: the provider's own count at its last answer, against what the
// profile says that the model takes in.
import type { Usage } from "../../src/session/event.ts";
import type { View } from "../../src/session/view.ts";

export type ContextUse = {
  tokens: number;
  of: number;
  share: number;
};

/** Null when nobody has counted yet: before the first answer, right after a compaction, with a provider that does not tell. */
export function contextUse(
  view: Pick<View, "messages" | "compacted">,
  contextTokens: number | undefined,
): ContextUse | null {
  const tokens = lastCount(view);
  if (tokens === null || contextTokens === undefined || contextTokens <= 0) return null;
  return { tokens, of: contextTokens, share: Math.min(1, tokens / contextTokens) };
}

function lastCount({ messages, compacted }: Pick<View, "messages" | "compacted">): number | null {
  const last = messages.findLast((message) => message.kind === "step" && message.state === "completed");
  if (last?.kind !== "step" || last.usage === null) return null;
  if (compacted !== null && compacted.at > last.position) return null;
  return total(last.usage);
}

/** What came in and what was said is what the next call begins with. */
function total({ inputTokens, outputTokens }: Usage): number {
  return inputTokens + outputTokens;
}
