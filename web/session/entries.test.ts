import { expect, test } from "vitest";
import { formatPosition } from "../../src/session/position.ts";
import type { Message } from "../../src/session/view.ts";
import { entriesOf, LEFT_OFF, leftOffAt } from "./entries.ts";

const notice = (seq: number): Message => ({
  id: `n${seq}`,
  position: formatPosition(seq, 0),
  at: `2026-11-15T12:00:0${seq}Z`,
  kind: "notice",
  level: "info",
  text: "",
});
const messages = [notice(2), notice(4), notice(6)];

test("the line stands in front of the first message that came later", () => {
  expect(leftOffAt(messages, formatPosition(4, 0), false)).toBe(1 + 1);
  expect(leftOffAt(messages, formatPosition(3, 0), false)).toBe(1);
});

test("it stands in front of the last row when that only grew", () => {
  expect(leftOffAt(messages, formatPosition(8, 0), false)).toBe(2);
});

test("it stands nowhere while its place is not here", () => {
  expect(leftOffAt(messages, null, false)).toBeUndefined();
  expect(leftOffAt(messages, formatPosition(1, 0), false)).toBeUndefined();
  expect(leftOffAt(messages, formatPosition(8, 0), true)).toBeUndefined();
});

test("it is a row among the others, with the time of what was seen last", () => {
  const entries = entriesOf(messages, 1);
  expect(entries.map(({ key, message }) => message?.id ?? key)).toEqual(["n2", LEFT_OFF, "n4", "n6"]);
  expect(entries[1]).toMatchObject({ seenAt: "2026-11-15T12:00:02Z" });
});
