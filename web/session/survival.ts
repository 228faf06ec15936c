import { createMemo, untrack } from "solid-js";
import type { ToolPart } from "../../src/session/view.ts";
import { useSession } from "./session-context.ts";

/** A command that ran while another executor took over: its shim kept it. */
export function createSurvival(part: () => ToolPart): () => boolean {
  const { session } = useSession();
  return createMemo(() => {
    const { process, startedAt, endedAt } = part();
    if (process === null || startedAt === null) return false;
    const messages = endedAt === null ? session.messages : untrack(() => session.messages);
    return messages.some(
      (message) =>
        message.kind === "divider" &&
        message.divider === "recovered" &&
        message.at >= startedAt &&
        (endedAt === null || message.at <= endedAt),
    );
  });
}
