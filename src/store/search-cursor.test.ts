import { expect, it } from "vitest";
import { parseSearchCursor, searchCursorAfter } from "./search-cursor.ts";
import { formatPosition } from "../session/position.ts";

const hit = {
  session: "ses_1",
  title: null,
  position: formatPosition(7, 0),
  at: "2026-01-01T00:00:00.000Z",
  type: "input_admitted",
  snippet: "…",
};

it("a cursor leads back to the hit that it was made from", () => {
  expect(parseSearchCursor(searchCursorAfter(hit, 7))).toEqual({ at: hit.at, session: "ses_1", place: 7 });
});

it("what is no cursor is told from one", () => {
  const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  for (const text of [
    "",
    "7",
    "%%%",
    encoded([hit.at, "ses_1"]),
    encoded([1, 2, 3]),
    encoded(["a\0", "b", 1]),
  ])
    expect(parseSearchCursor(text)).toBeUndefined();
});
