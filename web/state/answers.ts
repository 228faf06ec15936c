// What a person is about to answer, and how that went. It belongs to the ask and not to its card, so that leaving the
// card loses neither a word nor the news that someone else was first.
import { createMutable } from "solid-js/store";
import type { Client, NewAnswer } from "../../src/client/commands.ts";
import { ProblemError } from "../../src/client/errors.ts";
import type { Ask } from "../../src/protocol/http.ts";
import { failureWords } from "../failure-words.ts";
import { answerKey } from "./kept-answers.ts";
import { keepUnsent, unsentText } from "./unsent.ts";

export type Answering = {
  readonly text: string;
  setText(text: string): void;
  readonly values: readonly string[];
  setValues(values: readonly string[]): void;
  readonly isSending: boolean;
  readonly failure: string | null;
  /** The ask as it was closed, once that is known here. */
  readonly closed: Ask | null;
  /** It was this tab's answer that counted. */
  readonly isOurs: boolean;
  send(answer: NewAnswer): Promise<void>;
  /** Asks how it was closed, for an ask that is open no longer. */
  learn(): Promise<void>;
};

export const ANSWERS_MAX = 300;

export function createAnswers(client: Pick<Client, "answerAsk" | "ask">): (ask: string) => Answering {
  const known = new Map<string, Answering>();
  return (ask) => {
    const answering = known.get(ask) ?? createAnswering(client, ask);
    known.set(ask, answering);
    const [oldest] = known.keys();
    if (known.size > ANSWERS_MAX && oldest !== undefined) known.delete(oldest); // its text is kept in the browser
    return answering;
  };
}

function createAnswering(client: Pick<Client, "answerAsk" | "ask">, ask: string): Answering {
  const key = answerKey(ask);
  const state = createMutable({
    text: unsentText(key),
    values: [] as readonly string[],
    isSending: false,
    failure: null as string | null,
    closed: null as Ask | null,
    isOurs: false,
  });

  return {
    get text() {
      return state.text;
    },
    setText(text) {
      state.text = text;
      keepUnsent(key, text);
    },
    get values() {
      return state.values;
    },
    setValues(values) {
      state.values = values;
    },
    get isSending() {
      return state.isSending;
    },
    get failure() {
      return state.failure;
    },
    get closed() {
      return state.closed;
    },
    get isOurs() {
      return state.isOurs;
    },
    async send(answer) {
      if (state.isSending || state.closed) return;
      state.failure = null;
      state.isSending = true;
      try {
        close(await client.answerAsk(ask, answer), true);
      } catch (error) {
        const winner = closedIn(error);
        if (winner) close(winner, false);
        else state.failure = failureWords(error);
      } finally {
        state.isSending = false;
      }
    },
    async learn() {
      if (state.closed || state.isSending) return;
      try {
        const found = await client.ask(ask);
        if (found.state !== "open") close(found, false);
      } catch (error) {
        state.failure = failureWords(error);
      }
    },
  };

  /** What was typed and not said stays to be seen, but is no longer kept for later: there is no later. */
  function close(closed: Ask, isOurs: boolean): void {
    state.closed = closed;
    state.isOurs = isOurs;
    keepUnsent(key, "");
  }
}

/** The server names the ask as it stands when somebody else was first, or nobody waits for it any more. */
function closedIn(error: unknown): Ask | undefined {
  if (!(error instanceof ProblemError)) return undefined;
  if (error.code !== "answered" && error.code !== "ask_closed") return undefined;
  return error.problem["ask"] as Ask; // the refusal's own schema
}
