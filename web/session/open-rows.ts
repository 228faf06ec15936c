// Rows leave the document when they are scrolled out of it. What a person has opened in one is open again when it is back.
import { onCleanup, onMount } from "solid-js";

/** Of the rows that were left last: which of their parts were open. */
const opened = new Map<string, readonly string[]>();
const ROWS_MAX = 500;

export function keepOpen(key: string, row: () => HTMLElement): void {
  onMount(() => {
    const open = opened.get(key);
    if (open) for (const [part, details] of partsIn(row())) details.open ||= open.includes(part);
  });
  onCleanup(() => {
    const open = partsIn(row()).flatMap(([part, details]) => (details.open ? [part] : []));
    opened.delete(key);
    if (open.length > 0) opened.set(key, open);
    for (const oldest of opened.keys()) {
      if (opened.size <= ROWS_MAX) break;
      opened.delete(oldest);
    }
  });
}

/** Each by the part of the message that it belongs to and its number within that. */
function partsIn(row: HTMLElement): [part: string, details: HTMLDetailsElement][] {
  const counts = new Map<string, number>();
  return Array.from(row.querySelectorAll("details"), (details) => {
    const part = details.closest<HTMLElement>("[data-part]")?.dataset["part"] ?? "";
    const n = counts.get(part) ?? 0;
    counts.set(part, n + 1);
    return [`${part} ${n}`, details];
  });
}
