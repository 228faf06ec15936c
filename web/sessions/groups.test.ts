import { expect, test } from "vitest";
import type { SessionRow } from "../../src/protocol/http.ts";
import { underHeadings } from "./groups.ts";
import { sampleRow } from "./sample-row.ts";

const today = Date.parse("2026-11-15T00:00:00");
const at = (local: string) => new Date(local).toISOString();
const row = (id: string, updatedAt: string, given: Partial<SessionRow> = {}) =>
  sampleRow(id, { createdAt: updatedAt, updatedAt, ...given });

test("what is pinned leads, then what is going on however old, then the rest by its day", () => {
  const rows = [
    row("pinned", at("2026-11-01T10:00:00"), { pinned: true, status: "running" }),
    row("this morning", at("2026-11-15T00:01:00")),
    row("at work", at("2026-11-14T23:59:00"), { status: "waiting" }),
    row("last night", at("2026-11-14T23:59:00")),
    row("this week", at("2026-11-10T10:00:00")),
    row("long ago", at("2025-01-01T10:00:00")),
  ];
  const shown = underHeadings(rows, today).map((item) => (typeof item === "string" ? `# ${item}` : item.id));
  expect(shown).toEqual([
    "# Pinned",
    "pinned",
    "# Now",
    "at work",
    "# Today",
    "this morning",
    "# Yesterday",
    "last night",
    "# Last 7 days",
    "this week",
    "# Earlier",
    "long ago",
  ]);
});

test("within a heading the server's order stands, and an empty one is not shown", () => {
  const rows = [row("b", at("2026-11-15T11:00:00")), row("a", at("2026-11-15T10:00:00"))];
  expect(underHeadings(rows, today)).toEqual(["Today", ...rows]);
  expect(underHeadings([], today)).toEqual([]);
});
