import { expect, test } from "vitest";
import { redact } from "./redact.ts";

test("a secret is struck out in every form that an answer may quote it in", () => {
  const secret = 'a/b"c+d==';
  for (const form of [secret, encodeURIComponent(secret), JSON.stringify(secret)])
    expect(redact(`sent ${form} to you`, secret)).toMatch(/^sent "?\*\*\*"? to you$/);
});

test("a credential in a header is struck out even if it is not ours", () => {
  expect(redact("got Authorization: Bearer abcdef123456", undefined)).toBe("got Authorization: Bearer ***");
});

test("a secret too short to be one does not eat the text", () => {
  expect(redact("a banana", "a")).toBe("a banana");
});
