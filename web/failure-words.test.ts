import { expect, test } from "vitest";
import { ProblemError, Unreachable } from "../src/client/errors.ts";
import { problem } from "../src/protocol/problem.ts";
import { failureWords } from "./failure-words.ts";

test("a refusal is told in the server's words, a field by its own name", () => {
  expect(failureWords(new ProblemError(problem("live", "A turn runs: stop it first.")))).toBe(
    "A turn runs: stop it first.",
  );
  const faults = [{ path: "body.model", message: "can't be used: there is no such provider" }];
  expect(failureWords(new ProblemError(problem("schema", "It does not fit.", { faults })))).toBe(
    "Model can't be used: there is no such provider.",
  );
  expect(failureWords(new Unreachable("http://x", new Error("refused")))).toBe(
    "The server could not be reached.",
  );
});

test("a fault of the page is not taken for a failure of the server", () => {
  expect(() => failureWords(new TypeError("x is undefined"))).toThrow(TypeError);
});
