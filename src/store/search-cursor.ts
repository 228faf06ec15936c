// Where a page of search hits ended. Opaque to clients: they hand it back as it is.
import type { SearchHit } from "./store.ts";

/** `place` is what orders hits of one time: in a session, or in all that was written, as the store has it. */
export type SearchCursor = { at: string; session: string; place: number };

export function searchCursorAfter({ at, session }: SearchHit, place: number): string {
  return Buffer.from(JSON.stringify([at, session, place])).toString("base64url");
}

/** Undefined when the text is none of ours. */
export function parseSearchCursor(text: string): SearchCursor | undefined {
  let parts: unknown;
  try {
    parts = JSON.parse(Buffer.from(text, "base64url").toString());
  } catch {
    return undefined; // not JSON: a client made it up
  }
  if (!Array.isArray(parts) || parts.length !== 3) return undefined;
  const [at, session, place] = parts as unknown[];
  if (typeof at !== "string" || typeof session !== "string" || !Number.isSafeInteger(place)) return undefined;
  if (`${at}${session}`.includes("\0")) return undefined; // PostgreSQL would refuse to compare with it
  return { at, session, place: place as number };
}
