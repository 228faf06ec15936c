import { randomBytes } from "node:crypto";
import { expect, it } from "vitest";
import { makeIds } from "./ids.ts";

it("makes ids that sort by the time of their making and never meet", () => {
  let now = Date.UTC(2026, 0, 1);
  const ids = makeIds(() => now, randomBytes);
  const made = Array.from({ length: 2000 }, (_, n) => {
    now += n % 2; // two in a millisecond
    return ids.next("ses");
  });
  expect(new Set(made).size).toBe(made.length);
  expect(made.map((id) => id.slice(0, 14))).toEqual(made.map((id) => id.slice(0, 14)).toSorted());
  expect(made[0]).toMatch(/^ses_[0-9a-z]{22}$/);
});
