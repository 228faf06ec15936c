import { expect, it } from "vitest";
import { listCursorAfter, parseListCursor } from "./list-cursor.ts";
import type { SessionRow } from "./store.ts";

it("a cursor leads back to the row it was made from", () => {
  const row = { id: "ses_a", pinned: true, updatedAt: "2026-11-15T09:00:00.123Z" } as SessionRow; // all that it needs
  expect(parseListCursor(listCursorAfter(row))).toEqual({
    pinned: true,
    updatedAtMs: Date.parse(row.updatedAt),
    id: "ses_a",
  });
});

it.each(["", "x", "bnVsbA", "W10", btoa('[2,1,"a"]'), btoa('[1,"1","a"]'), btoa("[1,1.5,1]")])(
  "what a client made up is none: %j",
  (text) => {
    expect(parseListCursor(text)).toBeUndefined();
  },
);
