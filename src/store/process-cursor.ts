// Where a page of processes ended. The time is in it, since the process itself may be gone by the next page.
import type { ProcessRow } from "./store.ts";

export type ProcessCursor = { startedAtMs: number; id: string };

export function processCursorAfter({ startedAt, id }: ProcessRow): string {
  return `${Date.parse(startedAt)}.${id}`;
}

/** Undefined when the text is none of ours. */
export function parseProcessCursor(text: string): ProcessCursor | undefined {
  const [, startedAtMs, id] = /^(\d{1,15})\.(.+)$/.exec(text) ?? [];
  return startedAtMs === undefined || id === undefined ? undefined : { startedAtMs: Number(startedAtMs), id };
}

export function processesPage(rows: readonly ProcessRow[], limit: number) {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, next: rows.length > limit && last ? processCursorAfter(last) : null };
}
