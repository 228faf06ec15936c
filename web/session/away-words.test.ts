import { expect, test } from "vitest";
import { START } from "../../src/session/position.ts";
import type { OpenAsk } from "../../src/session/view.ts";
import { awayWords } from "./away-words.ts";

const ask = (kind: OpenAsk["kind"]) => ({ kind }) as OpenAsk; // as much of one as is asked for
const news = { how: "returned", since: START, messages: 0, tools: 0, asks: [] } as const;

test("what came is said in one sentence, in the singular where it is one", () => {
  expect(awayWords({ ...news, how: "reconnected", messages: 3, tools: 2, asks: [ask("approval")] })).toBe(
    "Reconnected: 3 messages, 2 tool calls, 1 approval while you were away",
  );
});

test("where there is little room the counts alone are said", () => {
  expect(awayWords({ ...news, messages: 2, tools: 1 }, true)).toBe("New: 2 messages, 1 tool call");
});

test("what did not come is left out", () => {
  expect(awayWords({ ...news, messages: 1 })).toBe("While you were away: 1 message");
  expect(awayWords({ ...news, asks: [ask("clarify"), ask("clarify")] })).toBe(
    "While you were away: 2 questions",
  );
  expect(awayWords(news)).toBeUndefined();
});

test("a thousand is where counting ends", () => {
  expect(awayWords({ ...news, tools: 1000 })).toBe("While you were away: 1,000+ tool calls");
});
