// What a model had said of an answer that a person stopped: told to it, so that it knows when it is asked to go on. Whoever
// heard it speak knows its words; whoever carries the stop out after a crash finds them in the drafts.
import { attemptOf } from "../session/draft.ts";
import type { LongText, NewFact } from "../session/event.ts";
import { lastStep } from "../session/next-step.ts";
import { stepOf, type Step } from "../session/parts.ts";
import type { View } from "../session/view.ts";
import { DamagedEvent, type Store } from "../store/store.ts";
import type { Stop } from "./call-model.ts";

export type Drafted = {
  store: Pick<Store, "view">;
  longText: (session: string, text: string) => Promise<LongText>;
};

/** The facts of a stop with what was said until then: they were decided on facts, and it stands in drafts. */
export async function withWords(
  { store, longText }: Drafted,
  session: string,
  facts: readonly NewFact[],
): Promise<NewFact[]> {
  const view = facts.some(isStop) ? await store.view(session).catch(unlessDamaged) : undefined;
  const whole: NewFact[] = [];
  for (const fact of facts) {
    if (!view || !isStop(fact)) {
      whole.push(fact);
      continue;
    }
    const texts = stoppedBy(fact, view)?.parts.map((part) => (part.kind === "text" ? part.text : "")) ?? [];
    const words = await wordsOf(texts, (text) => longText(session, text));
    whole.push({ ...fact, data: { ...fact.data, ...words } } as StopFact); // of either type, as it was
  }
  return whole;
}

type StopFact = Extract<NewFact, { type: "step_aborted" | "turn_ended" }>;

function isStop(fact: NewFact): fact is StopFact {
  if (fact.type === "step_aborted") return fact.data.reason === "stopped";
  return fact.type === "turn_ended" && fact.data.outcome === "stopped";
}

/** Of an answer that a shutdown broke off, and that nobody began anew, the turn's end is the only stop. */
function stoppedBy(fact: StopFact, view: View): Step | undefined {
  if (fact.type === "step_aborted") return stepOf(view, attemptOf(fact.data.step, fact.data.attempt));
  const step = lastStep(view, fact.data.turn);
  const isBrokenOff = step?.state === "aborted" && step.reason === ("shutdown" satisfies Stop);
  return isBrokenOff ? step : undefined;
}

/** A stop is carried out though a draft can't be read: its words are lost, and nothing else. */
function unlessDamaged(error: unknown): undefined {
  if (!(error instanceof DamagedEvent)) throw error;
}

/** From the texts of its pieces; when there are none, there is nothing to know of it. */
export async function wordsOf(
  texts: Iterable<string>,
  longText: (text: string) => Promise<LongText>,
): Promise<{ said?: LongText }> {
  const text = [...texts]
    .filter((piece) => piece !== "")
    .join("\n\n")
    .trim();
  return text === "" ? {} : { said: await longText(text) };
}
