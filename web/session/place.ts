// Finding the message that a position in the log belongs to.
import type { Position } from "../../src/session/position.ts";
import type { Message } from "../../src/session/view.ts";
import type { OpenSession } from "../state/open-session.ts";

/** A hit deeper than this many pages is not worth the wait; the page then shows the oldest it has. */
const PAGES_MAX = 40;

export async function reachPlace(session: OpenSession, at: Position): Promise<void> {
  for (let page = 0; page < PAGES_MAX; page++) {
    const oldest = session.messages[0];
    if (session.earlier !== "some" || oldest === undefined || oldest.position <= at) return;
    await session.loadEarlier();
  }
}

/** The message that began last before `at`. What closes a turn is passed over: an input stands in the log before its row. */
export function placeOf(messages: readonly Message[], at: Position): string | undefined {
  const before = messages.findLastIndex(({ position }) => position <= at);
  const found = messages[Math.max(before, 0)];
  const isClosing = found?.kind === "turn_end" || found?.kind === "divider";
  return (isClosing ? (messages[before + 1] ?? found) : found)?.id;
}
