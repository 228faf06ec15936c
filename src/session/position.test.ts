import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatPosition, isFactPosition, isPosition, parsePosition, seqOf, START } from "./position.ts";

const number = fc.nat({ max: Number.MAX_SAFE_INTEGER });

describe("a position", () => {
  it("says where it stands, and is read back", () => {
    fc.assert(
      fc.property(number, number, (seq, sub) => {
        const position = formatPosition(seq, sub);
        expect(parsePosition(position)).toEqual({ seq, sub });
        expect(seqOf(position)).toBe(seq);
        expect(isFactPosition(position)).toBe(sub === 0);
      }),
    );
  });

  it("is in the order of the log when it is compared as text", () => {
    fc.assert(
      fc.property(number, number, number, number, (seqA, subA, seqB, subB) => {
        const inOrder = seqA < seqB || (seqA === seqB && subA < subB);
        expect(formatPosition(seqA, subA) < formatPosition(seqB, subB)).toBe(inOrder);
      }),
    );
    expect(START < formatPosition(0, 1)).toBe(true);
  });

  it.each([
    "",
    "-1",
    "now",
    "1_0",
    "0000000000000001",
    "0000000000000001_000000000000000x",
    "9999999999999999_0000000000000000",
  ])("is not %j", (text) => expect(isPosition(text)).toBe(false));
});
