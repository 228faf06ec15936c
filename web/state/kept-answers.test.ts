import { beforeEach, expect, test, vi } from "vitest";
import { ProblemError, Unreachable } from "../../src/client/errors.ts";
import type { Ask } from "../../src/protocol/http.ts";
import { problem } from "../../src/protocol/problem.ts";
import { answerKey, clearKeptAnswers, KEPT_ANSWERS_MAX } from "./kept-answers.ts";
import { keepUnsent, unsentText } from "./unsent.ts";

beforeEach(() => {
  const kept = new Map<string, string>();
  vi.stubGlobal("localStorage", {
    get length() {
      return kept.size;
    },
    key: (n: number) => [...kept.keys()][n] ?? null,
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, text: string) => kept.set(key, text),
    removeItem: (key: string) => kept.delete(key),
  });
});

const words = (ask: string) => unsentText(answerKey(ask));
const never = () => Promise.reject(new Error("nobody needs to ask for this one"));
/** As much of one as is looked at. */
const found = (state: Ask["state"]) => Promise.resolve({ state } as Ask);

test("words for an ask that was closed meanwhile are cleared, those for an open one and for a session stay", async () => {
  keepUnsent(answerKey("ask_open"), "not yet");
  keepUnsent(answerKey("ask_closed"), "too late");
  keepUnsent(answerKey("ask_deleted"), "gone");
  keepUnsent("ses_1", "a draft");
  const ask = (id: string) =>
    id === "ask_closed"
      ? found("answered")
      : Promise.reject(new ProblemError(problem("not_found", `there is no ask ${id}`)));
  await clearKeptAnswers((id) => id === "ask_open", { ask });
  expect([words("ask_open"), words("ask_closed"), words("ask_deleted"), unsentText("ses_1")]).toEqual([
    "not yet",
    "",
    "",
    "a draft",
  ]);
});

test("an ask that is not in the list and may yet be open keeps its words", async () => {
  keepUnsent(answerKey("ask_far"), "beyond the list");
  keepUnsent(answerKey("ask_unknown"), "the server did not say");
  await clearKeptAnswers(() => false, {
    ask: (id) =>
      id === "ask_far"
        ? found("open")
        : Promise.reject(new Unreachable("/api/asks/ask_unknown", "no answer")),
  });
  expect([words("ask_far"), words("ask_unknown")]).toEqual(["beyond the list", "the server did not say"]);
});

test("of too many the oldest go", async () => {
  const ids = Array.from({ length: KEPT_ANSWERS_MAX + 2 }, (_, n) => `ask_${String(n).padStart(3, "0")}`);
  for (const id of ids) keepUnsent(answerKey(id), "words");
  await clearKeptAnswers(() => true, { ask: never });
  expect(ids.filter((id) => words(id) === "")).toEqual(["ask_000", "ask_001"]);
});
