// Where a page of the session list ended. Opaque to clients: they hand it back as it is.
import type { SessionRow } from "./store.ts";

/** The list's own order: pinned first, then newest change, then newest id. */
export type ListCursor = { pinned: boolean; updatedAtMs: number; id: string };

export function listCursorAfter(row: SessionRow): string {
  const cursor = [row.pinned ? 1 : 0, Date.parse(row.updatedAt), row.id];
  return Buffer.from(JSON.stringify(cursor)).toString("base64url");
}

/** Undefined when the text is none of ours. */
export function parseListCursor(text: string): ListCursor | undefined {
  let parts: unknown;
  try {
    parts = JSON.parse(Buffer.from(text, "base64url").toString());
  } catch {
    return undefined; // not JSON: a client made it up
  }
  if (!Array.isArray(parts) || parts.length !== 3) return undefined;
  const [pinned, updatedAtMs, id] = parts as unknown[];
  if ((pinned !== 0 && pinned !== 1) || !Number.isSafeInteger(updatedAtMs) || typeof id !== "string")
    return undefined;
  return { pinned: pinned === 1, updatedAtMs: updatedAtMs as number, id };
}
