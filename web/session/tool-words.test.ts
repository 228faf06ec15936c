import { expect, test } from "vitest";
import { newToolPart } from "../../src/session/parts.ts";
import type { ToolPart } from "../../src/session/view.ts";
import { argumentsOf, nameOf, outcomeOf, purposeOf, tailOf } from "./tool-words.ts";

const part = (given: Partial<ToolPart>): ToolPart => ({
  ...newToolPart("step_1.1/0"),
  state: "called",
  ...given,
});

test("a row says what its tool is for by the argument that tells most", () => {
  expect(purposeOf(part({ name: "shell", args: { cwd: "/srv", command: "npm test" } }))).toBe("npm test");
  expect(purposeOf(part({ name: "read", args: { offset: 10, limit: 5, path: "a.ts" } }))).toBe("a.ts:10–14");
  expect(purposeOf(part({ name: "search", args: { pattern: "x+", path: "src" } }))).toBe("x+ in src");
});

test("a tool that we do not know says the first text it was given", () => {
  expect(purposeOf(part({ name: "weather", args: { days: 3, city: "Kiel" } }))).toBe("Kiel");
  expect(purposeOf(part({ name: "weather", args: { days: 3 } }))).toBe("");
  expect(purposeOf(part({ name: "weather", args: [1, 2] }))).toBe("");
});

test("a command of many lines is one line in its row", () => {
  expect(purposeOf(part({ name: "shell", args: { command: "cd x\n  make" } }))).toBe("cd x make");
});

test("an outcome that nobody knows is said plainly", () => {
  expect(outcomeOf(part({ state: "finished", status: "unknown" }))).toMatchObject({
    kind: "unknown",
    words: "outcome unknown",
  });
});

test("a command that ran but failed is not shown as well", () => {
  expect(outcomeOf(part({ state: "finished", status: "ok", exit: 1 }))).toMatchObject({
    kind: "bad",
    words: "exit 1",
  });
  expect(outcomeOf(part({ state: "finished", status: "error" }))).toMatchObject({
    kind: "bad",
    words: "failed",
  });
});

test("a call that goes on in the background says so, and not that it is done", () => {
  const begun = part({
    state: "finished",
    status: "ok",
    name: "shell",
    args: { command: "make", background: true },
  });
  expect(outcomeOf(begun)).toMatchObject({ words: "in the background", spoken: "started in the background" });
  const foreground = { ...begun, args: { command: "make", background: false }, exit: 0 };
  expect(outcomeOf(foreground)).toMatchObject({ words: "exit 0" });
});

test("every outcome is said to those who don't see the sign", () => {
  for (const state of ["called", "proposed", "started", "finished"] as const)
    for (const status of ["ok", "error", "denied", "unknown", "stopped"] as const)
      expect(outcomeOf(part({ state, status })).spoken).not.toBe("");
});

test("arguments are shown whole, text as it is", () => {
  expect(argumentsOf({ text: "a\nb", limit: 2 })).toEqual([
    ["text", "a\nb"],
    ["limit", "2"],
  ]);
});

test("the tail is the last lines, without an empty one at the end", () => {
  expect(tailOf("1\n2\n3\n4\n", 2)).toBe("3\n4");
});

test("our own tools are words, those of others keep their names", () => {
  expect(nameOf(part({ name: "shell" }))).toBe("Shell");
  expect(nameOf(part({ name: "github__list" }))).toBe("github__list");
  expect(nameOf(part({ name: "constructor" }))).toBe("constructor");
});

test("what was denied says with which word", () => {
  const denied = part({ state: "finished", status: "denied", answer: { choice: "deny", text: "not there" } });
  expect(outcomeOf(denied).words).toBe("denied: “not there”");
  expect(outcomeOf({ ...denied, answer: { choice: "deny" } }).words).toBe("denied");
});

test("a command that hides what it is shows it", () => {
  expect(purposeOf(part({ name: "shell", args: { command: "rm \u202efdp.a" } }))).toBe("rm ⟨U+202E⟩fdp.a");
});
