// The list under a few headings: what is pinned, what is going on, and the rest by its day.
import type { SessionRow } from "../../src/protocol/http.ts";

export type Heading = "Pinned" | "Now" | "Today" | "Yesterday" | "Last 7 days" | "Earlier";

const HEADINGS: readonly Heading[] = ["Pinned", "Now", "Today", "Yesterday", "Last 7 days", "Earlier"];
const DAY_MS = 24 * 3600_000;

/** One list with a heading before its rows, so that a row that moves is moved on the page and not made anew. */
export function underHeadings(rows: readonly SessionRow[], today: number): (Heading | SessionRow)[] {
  const groups = Map.groupBy(rows, (row) => headingOf(row, today));
  return HEADINGS.flatMap((heading) => {
    const group = groups.get(heading) ?? [];
    return group.length > 0 ? [heading, ...group] : [];
  });
}

function headingOf(row: SessionRow, today: number): Heading {
  if (row.pinned) return "Pinned";
  if (row.status !== "idle" && row.status !== "ended") return "Now";
  const at = Date.parse(row.updatedAt);
  if (at >= today) return "Today";
  if (at >= today - DAY_MS) return "Yesterday";
  return at >= today - 6 * DAY_MS ? "Last 7 days" : "Earlier";
}
