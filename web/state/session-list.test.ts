import { expect, test } from "vitest";
import { sampleRow as row } from "../sessions/sample-row.ts";
import { byParent, inOrder } from "./session-list.ts";

test("pinned sessions lead, then those in which something happened last", () => {
  const rows = [
    row("ses_1", { updatedAt: "2026-11-15T11:00:00.000Z" }),
    row("ses_2", { updatedAt: "2026-11-15T12:00:00.000Z" }),
    row("ses_3", { pinned: true }),
    row("ses_4", { updatedAt: "2026-11-15T11:00:00.000Z" }),
  ];
  expect(inOrder(rows).map(({ id }) => id)).toEqual(["ses_3", "ses_2", "ses_4", "ses_1"]);
});

test("an archived session leaves the list", () => {
  expect(inOrder([row("ses_1", { archived: true })])).toEqual([]);
});

test("a delegate is no row of its own, but stands under the session that it works for", () => {
  const delegate = (id: string, session: string, createdAt: string) =>
    row(id, { origin: { kind: "delegation", session }, createdAt });
  const rows = [
    row("ses_1"),
    delegate("ses_3", "ses_1", "2026-11-15T11:00:00.000Z"),
    delegate("ses_2", "ses_1", "2026-11-15T10:30:00.000Z"),
    delegate("ses_4", "ses_2", "2026-11-15T11:30:00.000Z"),
  ];
  expect(inOrder(rows).map(({ id }) => id)).toEqual(["ses_1"]);
  const ids = [...byParent(rows)].map(([parent, below]) => [parent, below.map(({ id }) => id)]);
  expect(ids).toEqual([
    ["ses_1", ["ses_2", "ses_3"]],
    ["ses_2", ["ses_4"]],
  ]);
});

test("a fork is a row of its own", () => {
  const fork = row("ses_2", { origin: { kind: "fork", session: "ses_1" } });
  expect(inOrder([row("ses_1"), fork]).map(({ id }) => id)).toEqual(["ses_2", "ses_1"]);
});
