import { describe, expect, it } from "vitest";
import { judgeAnswer, readAnswer, type Question } from "./answer.ts";

const approval: Question = { kind: "approval" };
const free: Question = { kind: "clarify" };
const colours = [
  { id: "r", label: "Red" },
  { id: "g", label: "Green" },
  { id: "b", label: "Blue" },
];
const single: Question = { kind: "clarify", choices: colours };
const several: Question = { kind: "clarify", choices: colours, multiple: true };
/** A number is what is asked for, so none can stand for a choice. */
const counts: Question = {
  kind: "clarify",
  choices: [
    { id: "a", label: "1 replica" },
    { id: "b", label: "3" },
    { id: "c", label: "five" },
  ],
};

describe("an answer", () => {
  it("to an approval is one of its choices, perhaps with a word", () => {
    expect(judgeAnswer(approval, { choice: "once" })).toEqual({ ok: true, answer: { choice: "once" } });
    expect(judgeAnswer(approval, { choice: "deny", text: "not there" })).toEqual({
      ok: true,
      answer: { choice: "deny", text: "not there" },
    });
    expect(judgeAnswer(approval, { choice: "once", text: "but carefully" })).toMatchObject({ ok: true });
    expect(judgeAnswer(approval, { choice: "once", text: " " })).toMatchObject({ ok: true });
    expect(judgeAnswer(approval, { choice: "maybe" })).toMatchObject({ ok: false, path: "choice" });
    expect(judgeAnswer(approval, { text: "yes" })).toMatchObject({ ok: false, path: "choice" });
    expect(judgeAnswer(approval, { values: ["once"] })).toMatchObject({ ok: false, path: "values" });
    const fewer = { kind: "approval", choices: [{ id: "once", label: "Allow" }] } as const;
    expect(judgeAnswer(fewer, { choice: "always" })).toMatchObject({ ok: false, path: "choice" });
  });

  it("to a question is what was said, or as many of its choices as it allows", () => {
    expect(judgeAnswer(free, { text: "the left one" })).toEqual({
      ok: true,
      answer: { text: "the left one" },
    });
    expect(judgeAnswer(single, { values: ["g"] })).toEqual({ ok: true, answer: { values: ["g"] } });
    expect(judgeAnswer(several, { values: ["g", "r"], text: "mixed" })).toEqual({
      ok: true,
      answer: { values: ["g", "r"], text: "mixed" },
    });
    expect(judgeAnswer(single, { text: "purple" })).toEqual({ ok: true, answer: { text: "purple" } });
  });

  it.each([
    [free, { text: "  " }, "text"],
    [free, {}, "text"],
    [free, { values: ["r"] }, "values"],
    [single, { values: ["x"] }, "values"],
    [single, { values: ["r", "g"] }, "values"],
    [several, { values: ["r", "r"] }, "values"],
    [single, { choice: "r" }, "choice"],
  ])("%j is not answered with %j", (question, given, path) => {
    expect(judgeAnswer(question, given)).toMatchObject({ ok: false, path });
  });
});

describe("a typed line", () => {
  it.each([
    [approval, "1", { choice: "once" }],
    [approval, "always", { choice: "always" }],
    [approval, "Deny not in this folder", { choice: "deny", text: "not in this folder" }],
    [approval, "4: not in this folder", { choice: "deny", text: "not in this folder" }],
    [approval, "3.", { choice: "always" }],
    [approval, "Always use tabs, not spaces", undefined],
    [approval, "once that is done, run the tests", undefined],
    [approval, "1 more thing: use tabs", undefined],
    [approval, "5", undefined],
    [approval, "what does it do?", undefined],
    [free, "2", { text: "2" }],
    [free, "   ", undefined],
    [single, "2", { values: ["g"] }],
    [single, "green", { values: ["g"] }],
    [single, "1 2", { text: "1 2" }],
    [several, "1, 3", { values: ["r", "b"] }],
    [several, "1 and 3", { text: "1 and 3" }],
    [single, "neither", { text: "neither" }],
    [counts, "3", { values: ["b"] }],
    [counts, "2", { text: "2" }],
    [counts, "1 replica", { values: ["a"] }],
    [{ ...counts, multiple: true }, "1, 2", { text: "1, 2" }],
  ])("%j takes %j as %j", (question, line, answer) => {
    expect(readAnswer(question, line)).toEqual(answer);
  });
});
