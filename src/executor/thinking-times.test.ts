import { expect, it } from "vitest";
import type { Clock } from "./clock.ts";
import { ThinkingTimes } from "./thinking-times.ts";

it("a thought took from the end of what came before it to its own last word", () => {
  let now = 1000;
  const clock: Clock = { now: () => now, after: () => () => {} };
  const times = new ThinkingTimes(clock);
  const hear = (at: number, piece: number, kind: "text" | "reasoning") => {
    now = at;
    times.hear({ piece, kind, text: "x" });
  };
  hear(1500, 0, "reasoning");
  hear(4000, 0, "reasoning");
  hear(6000, 1, "text");
  hear(9000, 2, "reasoning");
  expect(
    times.told([
      { type: "reasoning", text: "first" },
      { type: "text", text: "said" },
      { type: "reasoning", text: "second" },
    ]),
  ).toEqual([
    { type: "reasoning", text: "first", ms: 3000 },
    { type: "text", text: "said" },
    { type: "reasoning", text: "second", ms: 3000 },
  ]);
});
