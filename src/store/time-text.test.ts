import fc from "fast-check";
import { expect, it } from "vitest";
import { timeTexts } from "./time-text.ts";

const from = Date.UTC(2026, 10, 15, 23, 59, 58, 7);

it("tells each time as an ISO text does, whatever came before it", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 5_000 })), (steps) => {
      const timeText = timeTexts();
      for (const step of steps) expect(timeText(from + step)).toBe(new Date(from + step).toISOString());
    }),
  );
});
