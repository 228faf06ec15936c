// Finding the message that a position in the log belongs to.
import type { Position } from "../../src/session/position.ts";
import type { Message } from "../../src/session/view.ts";
/** The message that began last before `at`. What closes a turn is passed over: an input stands in the log before its row. */
export function placeOf(messages: readonly Message[], at: Position): string | undefined {
  const before = messages.findLastIndex(({ position }) => position <= at);
  const found = messages[Math.max(before, 0)];
  const isClosing = found?.kind === "turn_end" || found?.kind === "divider";
  return (isClosing ? (messages[before + 1] ?? found) : found)?.id;
}
