// A session that works for another, before its first turn.
import type { View } from "./view.ts";

/** Another session waits for this one's end, and only the one input that is queued can lead to it. */
export function isAwaited({ meta, turn, queue, messages }: View): boolean {
  if (meta.origin?.kind !== "delegation" || turn !== null || queue.length !== 1) return false;
  return !messages.some(({ kind }) => kind === "turn_end");
}
