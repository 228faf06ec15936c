import { beforeEach, expect, test, vi } from "vitest";
import { ProblemError, Unreachable } from "../../src/client/errors.ts";
import type { Ask } from "../../src/protocol/http.ts";
import { problem } from "../../src/protocol/problem.ts";
import { createAnswers } from "./answers.ts";
import { unsentText } from "./unsent.ts";

const answered: Ask = {
  id: "ask_1",
  session: "ses_1",
  kind: "approval",
  title: "shell: ls",
  call: null,
  command: "ls",
  cwd: "/work",
  digest: null,
  choices: [],
  multiple: false,
  expires: null,
  openedAt: "2026-11-15T10:00:00.000Z",
  state: "answered",
  answer: { choice: "once" },
  closedBy: { person: "owner", device: "Firefox on Linux" },
  closedAt: "2026-11-15T10:01:00.000Z",
};

beforeEach(() => {
  const kept = new Map<string, string>();
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, text: string) => kept.set(key, text),
    removeItem: (key: string) => kept.delete(key),
  });
});

function answering(answerAsk: () => Promise<Ask>) {
  return createAnswers({ answerAsk, ask: () => Promise.resolve(answered) })("ask_1");
}

test("an answer that does not arrive leaves the words where they were typed, for a later tab too", async () => {
  const answer = answering(() => Promise.reject(new Unreachable("http://x", "down")));
  answer.setText("not on a Friday");
  await answer.send({ choice: "deny", text: "not on a Friday" });
  expect(answer.failure).toBe("The server could not be reached.");
  expect(answer.text).toBe("not on a Friday");
  expect(unsentText("ask:ask_1")).toBe("not on a Friday");
  expect(answer.isSending).toBe(false);
});

test("who comes second is told which answer won, and that it was another's", async () => {
  const refusal = problem("answered", "ask_1 was answered by owner", { ask: answered });
  const answer = answering(() => Promise.reject(new ProblemError(refusal)));
  await answer.send({ choice: "deny" });
  expect(answer.closed).toEqual(answered);
  expect(answer.isOurs).toBe(false);
  expect(answer.failure).toBeNull();
});

test("an answer is sent once, however often it is pressed", async () => {
  const sent = Promise.withResolvers<Ask>();
  const send = vi.fn<() => Promise<Ask>>(() => sent.promise);
  const answer = answering(send);
  const first = answer.send({ choice: "once" });
  const second = answer.send({ choice: "always" });
  sent.resolve(answered);
  await Promise.all([first, second]);
  await answer.send({ choice: "always" });
  expect(send).toHaveBeenCalledOnce();
  expect(answer.isOurs).toBe(true);
});

test("what was typed is no longer kept once the ask is closed", async () => {
  const answer = answering(() => Promise.resolve(answered));
  answer.setText("go on");
  await answer.learn();
  expect(answer.closed).toEqual(answered);
  expect(unsentText("ask:ask_1")).toBe("");
});
