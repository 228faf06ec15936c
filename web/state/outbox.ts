// What a person has typed and sent, until the log shows it. It belongs to the session and not to the composer, so that
// looking at another session meanwhile loses neither the text nor the news of its failure.
import { createMutable } from "solid-js/store";
import type { Position } from "../../src/session/position.ts";
import { failureWords } from "../failure-words.ts";
import { keepUnsent, unsentText } from "./unsent.ts";

export type Outbox = {
  readonly text: string;
  setText(text: string): void;
  /** Sent, but not to be seen in the log yet. */
  readonly sending: readonly string[];
  readonly failure: string | null;
  send(): void;
};

type Sending = { text: string; position: Position | null };

/** `send` resolves with where the text now stands in the log; `hasArrived` says whether that is on the page. */
export function createOutbox(
  key: string,
  send: (text: string) => Promise<Position | null>,
  hasArrived: (position: Position) => boolean,
): Outbox {
  const state = createMutable({
    text: unsentText(key),
    sending: [] as Sending[],
    failure: null as string | null,
  });
  // One after the other, or a retry could turn their order round.
  let last = Promise.resolve();

  return {
    get text() {
      return state.text;
    },
    setText(text) {
      state.text = text;
      keep();
    },
    get sending() {
      return state.sending.filter(isOnItsWay).map(({ text }) => text);
    },
    get failure() {
      return state.failure;
    },
    send() {
      const text = state.text.trim();
      if (text === "") return;
      const sending: Sending = { text, position: null };
      state.sending = [...state.sending.filter(isOnItsWay), sending];
      state.text = "";
      state.failure = null;
      keep();
      last = last.then(() => carryOut(text));
    },
  };

  async function carryOut(text: string): Promise<void> {
    // Ours is the first that has no position: they are sent in order.
    const sending = state.sending.find(({ position }) => position === null);
    try {
      const position = await send(text);
      if (position === null) state.sending = state.sending.filter((each) => each !== sending);
      else if (sending) sending.position = position;
    } catch (error) {
      state.sending = state.sending.filter((each) => each !== sending);
      state.text = state.text === "" ? text : `${text}\n\n${state.text}`;
      state.failure = failureWords(error);
    }
    keep();
  }

  /** Until it is acknowledged it counts as unsent. */
  function keep(): void {
    const unsent = state.sending.flatMap(({ text, position }) => (position === null ? [text] : []));
    keepUnsent(key, [...unsent, state.text].filter((text) => text !== "").join("\n\n"));
  }

  function isOnItsWay({ position }: Sending): boolean {
    return position === null || !hasArrived(position);
  }
}
