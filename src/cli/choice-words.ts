// The choices of an ask as a line shows them: each with the number that it can be answered by, where it has one.
import { choicesOf, isNumbered, type Question } from "../session/answer.ts";
import { visibleLine } from "./visible.ts";

export function choiceWords(ask: Question): string {
  const labels = choicesOf(ask).map(({ label }) => visibleLine(label));
  const words = isNumbered(ask)
    ? labels.map((label, n) => `${n + 1} ${label}`)
    : labels.map((label) => `"${label}"`); // else these would look like numbers to answer by
  return words.join("   ");
}
