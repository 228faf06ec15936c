// Keys for a card that has the focus: a number for each choice, y for once, n for no.
import { isDenial, isNumbered } from "../../src/session/answer.ts";
import type { Answering } from "../state/answers.ts";
import type { ShownAsk } from "./shown-ask.ts";

/** False for a key that means nothing here. */
export function answerByKey(key: string, ask: ShownAsk, answer: Answering): boolean {
  const choice =
    ask.kind === "approval" && (key === "y" || key === "n")
      ? ask.choices.find(({ id }) => id === (key === "y" ? "once" : "deny"))
      : /^[1-9]$/.test(key) && isNumbered(ask)
        ? ask.choices[Number(key) - 1]
        : undefined;
  if (!choice) return false;
  if (ask.multiple) answer.setValues(toggled(answer.values, choice.id));
  else void answer.send(choiceAnswer(ask, choice.id, answer.text));
  return true;
}

export function toggled(values: readonly string[], id: string): readonly string[] {
  return values.includes(id) ? values.filter((value) => value !== id) : [...values, id];
}

/** A word goes along with a denial, which the agent is told, and with a choice of a question. */
export function choiceAnswer(
  { kind }: Pick<ShownAsk, "kind">,
  id: string,
  typed: string,
): { choice?: string; values?: string[]; text?: string } {
  const text = typed.trim();
  if (kind === "approval") return { choice: id, ...(isDenial(id) && text !== "" && { text }) };
  return { values: [id], ...(text !== "" && { text }) };
}
