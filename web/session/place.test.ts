import { expect, test } from "vitest";
import { formatPosition } from "../../src/session/position.ts";
import { stepMessage } from "../../src/session/parts.ts";
import type { Message } from "../../src/session/view.ts";
import { placeOf } from "./place.ts";

const step = (seq: number): Message => ({
  id: `step_${seq}`,
  position: formatPosition(seq, 0),
  at: "2026-11-15T12:00:00Z",
  ...stepMessage({ turn: "turn_1", step: `step_${seq}`, attempt: 1, model: "m" }),
});
const end = (seq: number): Message => ({
  id: `end_${seq}`,
  position: formatPosition(seq, 0),
  at: "2026-11-15T12:00:00Z",
  kind: "turn_end",
  turn: "turn_1",
  outcome: "completed",
  message: null,
  error: null,
  usage: { inputTokens: 0, outputTokens: 0 },
  startedAt: null,
});

test("a fact within a step leads to the step", () => {
  expect(placeOf([step(3), step(9)], formatPosition(5, 0))).toBe("step_3");
});

test("an input leads past the end of the turn before it", () => {
  expect(placeOf([step(3), end(7), step(12)], formatPosition(8, 0))).toBe("step_12");
});

test("a place before all that is here leads to the oldest", () => {
  expect(placeOf([step(30), step(40)], formatPosition(2, 0))).toBe("step_30");
  expect(placeOf([], formatPosition(2, 0))).toBeUndefined();
});
