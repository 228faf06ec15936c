// The history checker of the page: what is on screen is what the server's own projection says, part by part, nothing twice
// and nothing missing.
import { setTimeout as pause } from "node:timers/promises";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { linesOf, projectionOf, type Reading } from "./projection.ts";
import { shownLines } from "./shown-transcript.ts";

const PATIENCE_MS = 15_000;
const BETWEEN_LOOKS_MS = 30;

/** The page may be a frame behind: both are read again until they agree, and if they never do the last difference is told. */
export async function expectPageEqualsProjection(
  page: Page,
  server: Reading,
  session: string,
  patienceMs = PATIENCE_MS,
): Promise<void> {
  const giveUpAt = Date.now() + patienceMs;
  for (;;) {
    const projection = await projectionOf(server, session);
    const wanted = linesOf(projection);
    const [first, last] = [projection.messages[0]?.id, projection.messages.at(-1)?.id];
    const shown = await shownLines(page, { first, last });
    const isEqual = JSON.stringify(shown) === JSON.stringify(wanted);
    if (isEqual || Date.now() > giveUpAt) return expect(shown).toEqual(wanted);
    await pause(BETWEEN_LOOKS_MS);
  }
}
