import { expect, test, vi } from "vitest";
import { APPROVAL_CHOICES } from "../../src/session/answer.ts";
import type { Answering } from "../state/answers.ts";
import { answerByKey } from "./answer-key.ts";
import type { ShownAsk } from "./shown-ask.ts";

const ask = (given: Partial<ShownAsk> = {}): ShownAsk => ({
  id: "ask_1",
  session: "ses_1",
  kind: "approval",
  title: "",
  call: null,
  command: null,
  cwd: null,
  digest: null,
  multiple: false,
  openedAt: "",
  choices: APPROVAL_CHOICES,
  ...given,
});

function answering(text = "", values: string[] = []) {
  const send = vi.fn<Answering["send"]>(() => Promise.resolve());
  const setValues = vi.fn<Answering["setValues"]>();
  const answer: Answering = {
    text,
    values,
    isSending: false,
    failure: null,
    closed: null,
    isOurs: false,
    setText() {},
    setValues,
    send,
    learn: () => Promise.resolve(),
  };
  return { answer, send, setValues };
}

test.each([
  ["1", { choice: "once" }],
  ["2", { choice: "session" }],
  ["3", { choice: "always" }],
  ["4", { choice: "deny", text: "no" }],
  ["y", { choice: "once" }],
  ["n", { choice: "deny", text: "no" }],
])("%s answers an approval; a word goes along only with a denial", (key, expected) => {
  const { answer, send } = answering("no");
  expect(answerByKey(key, ask(), answer)).toBe(true);
  expect(send).toHaveBeenCalledWith(expected);
});

test.each(["5", "0", "a", "Enter", "Y"])("%s means nothing to an approval", (key) => {
  const { answer, send } = answering();
  expect(answerByKey(key, ask(), answer)).toBe(false);
  expect(send).not.toHaveBeenCalled();
});

test("where several may be chosen, a number chooses and does not answer yet", () => {
  const choices = [
    { id: "1", label: "red" },
    { id: "2", label: "blue" },
  ];
  const { answer, send, setValues } = answering("", ["1"]);
  answerByKey("2", ask({ kind: "clarify", multiple: true, choices }), answer);
  expect(setValues).toHaveBeenCalledWith(["1", "2"]);
  answerByKey("1", ask({ kind: "clarify", multiple: true, choices }), answer);
  expect(setValues).toHaveBeenLastCalledWith([]);
  expect(send).not.toHaveBeenCalled();
});

test("where choices are numbers themselves, no key stands for the place of one", () => {
  const choices = ["1", "3", "5"].map((label, n) => ({ id: `c${n}`, label }));
  const { answer, send } = answering();
  expect(answerByKey("3", ask({ kind: "clarify", choices }), answer)).toBe(false);
  expect(send).not.toHaveBeenCalled();
});
