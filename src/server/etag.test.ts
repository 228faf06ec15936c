import { expect, test } from "vitest";
import { isKnown } from "./etag.ts";

test.each([
  ['"a:1"', true],
  ['W/"a:1"', true],
  ['"x", W/"y" ,"a:1"', true],
  ["*", true],
  ['"a:2"', false],
  ["a:1", false],
  ["", false],
  [undefined, false],
])("a client that says %s knows what it would get: %s", (header, known) => {
  expect(isKnown(header, '"a:1"')).toBe(known);
});
