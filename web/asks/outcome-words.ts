// How an ask was closed, by whom and with what: what the loser of a race wants to know.
import type { Ask } from "../../src/protocol/http.ts";
import type { By } from "../../src/session/event.ts";

export type Closed = Pick<Ask, "kind" | "state" | "answer" | "closedBy" | "choices">;

/** `isOurs`: this tab gave the answer. */
export function outcomeWords(ask: Closed, me: string | undefined, isOurs = false): string {
  switch (ask.state) {
    case "answered":
      return `Answered by ${isOurs ? "you" : whoWords(ask.closedBy, me)}: ${answerWords(ask)}`;
    case "withdrawn":
      return "Withdrawn: it was no longer needed, and nobody answered it";
    case "expired":
      return "Expired before anybody answered it";
    case "open":
      return "Waits for an answer";
  }
}

function whoWords(by: By | null, me: string | undefined): string {
  if (by === null || !("person" in by)) return "Holdfast itself";
  if (by.program) return by.device ?? `a program of ${by.person}`;
  if (by.person === me) return "you on another device";
  return by.device === undefined ? by.person : `${by.person} (${by.device})`;
}

/** A choice by the word on its button. */
export function answerWords({ answer, choices }: Pick<Ask, "answer" | "choices">): string {
  if (answer === null) return "";
  const label = (id: string) => choices.find((choice) => choice.id === id)?.label ?? id;
  const chosen = answer.values ?? (answer.choice === undefined ? [] : [answer.choice]);
  const words = chosen.map((id) => label(id).toLowerCase()).join(", ");
  return [words, answer.text ?? ""].filter((part) => part !== "").join(": ");
}
