// What counts as an answer to an ask, and what a person's line means as one.
import type { AskAnswer } from "./asks.ts";

export type Question = {
  kind: "approval" | "clarify";
  choices?: readonly { id: string; label: string }[] | undefined;
  multiple?: boolean | undefined;
};

export type Judged = { ok: true; answer: AskAnswer } | { ok: false; path: keyof AskAnswer; message: string };

/** What an approval can be answered with when it does not say so itself. */
export const APPROVAL_CHOICES = [
  { id: "once", label: "Once" },
  { id: "session", label: "In this session" },
  { id: "always", label: "Always" },
  { id: "deny", label: "Deny" },
] as const;

/** What it can be answered with where the next is asked about all the same. */
export const EACH_TIME_CHOICES = APPROVAL_CHOICES.filter(({ id }) => id === "once" || id === "deny");

export function judgeAnswer(question: Question, { choice, text, values }: Given): Judged {
  const offered = choicesOf(question);
  const ids = offered.map(({ id }) => id);
  const said = text === undefined || text.trim() === "" ? {} : { text };
  if (question.kind === "approval") {
    if (values !== undefined) return fault("values", "is for a question; an approval takes a choice");
    if (choice === undefined || !ids.includes(choice))
      return fault("choice", `must be one of ${ids.join(", ")}`);
    return { ok: true, answer: { choice, ...said } };
  }
  if (choice !== undefined) return fault("choice", "is for an approval; a question takes text or values");
  if (values === undefined || values.length === 0) {
    if (!("text" in said)) return fault("text", "must say something, or values must name a choice");
    return { ok: true, answer: said };
  }
  const strange = values.find((value) => !ids.includes(value));
  if (ids.length === 0) return fault("values", "names choices, but this question has none: answer with text");
  if (strange !== undefined) return fault("values", `must be of ${ids.join(", ")}; "${strange}" is none`);
  if (new Set(values).size < values.length) return fault("values", "names a choice twice");
  if (values.length > 1 && !question.multiple) return fault("values", "must be one: only one can be chosen");
  return { ok: true, answer: { values: [...values], ...said } };
}

/**
 * A line that somebody typed: `1` or `once`, `4 not there` or `deny not there` for an approval; for a question its choices by
 * number or in their own words, else whatever was said. Undefined when it is no answer: "Always use tabs" allows nothing.
 */
export function readAnswer(question: Question, line: string): AskAnswer | undefined {
  const said = line.trim();
  const offered = choicesOf(question);
  if (question.kind === "approval") {
    const [first = "", rest = ""] = splitWord(said);
    const choice = offered[numberOf(first) - 1] ?? offered.find(({ id }) => id === first.toLowerCase());
    if (!choice) return undefined;
    if (rest === "") return { choice: choice.id };
    return isDenial(choice.id) ? { choice: choice.id, text: rest } : undefined;
  }
  const answer = readWords(question, line);
  if (!answer?.text || !isNumbered(question)) return answer;
  const numbered = said.split(/[\s,]+/).map((word) => offered[numberOf(word) - 1]?.id);
  const values = [...new Set(numbered)].filter((id) => id !== undefined);
  const allKnown = numbered.every((id) => id !== undefined);
  return allKnown && (values.length === 1 || question.multiple) ? { values } : answer;
}

/** What was said to a question by someone who may have seen no numbers: a choice in its own words, or else the words. */
export function readWords(question: Question, text: string): AskAnswer | undefined {
  const said = text.trim();
  if (said === "") return undefined;
  const named = choicesOf(question).find(({ label }) => label.toLowerCase() === said.toLowerCase());
  return named ? { values: [named.id] } : { text: said };
}

/** Whether a number stands for a choice. "3" is no third choice where it may be the answer: of 1, 3 and 5. */
export function isNumbered(question: Question): boolean {
  return !choicesOf(question).some(({ label }) => /^\s*[-+]?\d/.test(label));
}

export function choicesOf({ kind, choices = [] }: Question): readonly { id: string; label: string }[] {
  return kind === "approval" && choices.length === 0 ? APPROVAL_CHOICES : choices;
}

/** Of an approval: all that it can be answered with but a denial. */
export function allowingChoices(question: Question): string[] {
  return choicesOf(question).flatMap(({ id }) => (isDenial(id) ? [] : [id]));
}

/** The agent is told why, with the call's result. */
export function isDenial(choice: string): boolean {
  return choice === "deny";
}

type Given = {
  choice?: string | undefined;
  text?: string | undefined;
  values?: readonly string[] | undefined;
};

function fault(path: keyof AskAnswer, message: string): Judged {
  return { ok: false, path, message };
}

function splitWord(text: string): string[] {
  const [, word = "", rest = ""] = /^(\S+)\s*([\s\S]*)$/.exec(text) ?? [];
  return [word.replace(/[.:,]$/, ""), rest];
}

function numberOf(word: string): number {
  return /^\d{1,3}$/.test(word) ? Number(word) : Number.NaN;
}
