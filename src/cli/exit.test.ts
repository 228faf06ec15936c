import { CommanderError } from "commander";
import { expect, test } from "vitest";
import { ProblemError, Unreachable } from "../client/errors.ts";
import { problem, type ProblemCode } from "../protocol/problem.ts";
import { endingOf, Failure, storeFailure } from "./exit.ts";

test.each([
  ["not_found", 3],
  ["gone", 3],
  ["conflict", 4],
  ["live", 4],
  ["ended", 4],
  ["schema", 2],
  ["not_ready", 5],
  ["unauthorized", 1],
  ["internal", 1],
] as [ProblemCode, number][])(
  "a server's %s ends the command with %i, in the server's own words",
  (code, exit) => {
    const document = problem(code, "what to do");
    expect(endingOf(new ProblemError(document))).toEqual({
      code: exit,
      line: "what to do",
      problem: document,
    });
  },
);

test("the faults of a request are named", () => {
  const faults = [{ path: "body.title", message: "too long" }];
  expect(endingOf(new ProblemError(problem("schema", "does not fit", { faults })))?.line).toBe(
    "does not fit (body.title: too long)",
  );
  const told = problem("schema", "The request does not fit: body.title too long.", { faults });
  expect(endingOf(new ProblemError(told))?.line).toBe("The request does not fit: body.title too long.");
});

test("a server that is not there says how to get one", () => {
  const ending = endingOf(new Unreachable("http://127.0.0.1:4180", new Error("ECONNREFUSED")));
  expect(ending?.code).toBe(5);
  expect(ending?.line).toContain('Start the server with "holdfast serve"');
  expect(ending?.problem).toMatchObject({
    code: "unreachable",
    type: "urn:holdfast:problem:unreachable",
    status: 503,
  });
});

test("a port that HTTP is not spoken on is named as the reason", () => {
  const cause = new TypeError("fetch failed", { cause: new Error("bad port") });
  expect(endingOf(new Unreachable("http://127.0.0.1:6000", cause))?.line).toContain(
    "kept for another protocol",
  );
});

test("usage, a missing file and a store in use each have their code", () => {
  expect(
    endingOf(new CommanderError(1, "commander.unknownOption", "error: unknown option '--x'")),
  ).toMatchObject({
    code: 2,
    line: "unknown option '--x'",
  });
  const missing = Object.assign(new Error("ENOENT: no such file"), { code: "ENOENT", syscall: "open" });
  expect(endingOf(missing)?.code).toBe(3);
  expect(endingOf(storeFailure({ ok: false, code: "in_use", detail: "held" }))).toMatchObject({
    code: 4,
    line: "held",
  });
  expect(endingOf(new Failure("usage", "what?"))?.problem).toMatchObject({ status: 400 });
  expect(endingOf(missing)?.problem).toMatchObject({ status: 404 });
  expect(endingOf(new Failure("conflict", "which?", { candidates: [] }))?.problem).toMatchObject({
    status: 409,
    candidates: [],
  });
});

test("a surprise is not made up to be an ordinary failure", () => {
  expect(endingOf(new TypeError("x is not a function"))).toBeUndefined();
});
