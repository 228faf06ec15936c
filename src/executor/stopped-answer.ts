// What a model had said of an answer that ended in its middle, since a person stopped it or it can't go on: told to it, so
// that it knows when it is asked to go on. Whoever heard it speak knows its words; whoever ends the turn later, after a
// crash or while it waits to be tried again, finds them in the drafts.
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

/** The facts of a turn's end with what was said until then: they were decided on facts, and it stands in drafts. */
export async function withWords(
  { store, longText }: Drafted,
  session: string,
  facts: readonly NewFact[],
): Promise<NewFact[]> {
  const view = facts.some(isEnd) ? await store.view(session).catch(unlessDamaged) : undefined;
  const whole: NewFact[] = [];
  for (const fact of facts) {
    if (!view || !isEnd(fact)) {
      whole.push(fact);
      continue;
    }
    const texts = endedBy(fact, view)?.parts.map((part) => (part.kind === "text" ? part.text : "")) ?? [];
    const words = await wordsOf(texts, (text) => longText(session, text));
    whole.push({ ...fact, data: { ...fact.data, ...words } } as EndFact); // of either type, as it was
  }
  return whole;
}

type EndFact = Extract<NewFact, { type: "step_aborted" | "turn_ended" }>;

/** Of an answer that a person stops while it is given; else, if nobody will begin it anew, of the whole turn. */
function isEnd(fact: NewFact): fact is EndFact {
  if (fact.type === "step_aborted") return fact.data.reason === STOPPED;
  return fact.type === "turn_ended" && fact.data.outcome !== "completed";
}

function endedBy(fact: EndFact, view: View): Step | undefined {
  if (fact.type === "step_aborted") return stepOf(view, attemptOf(fact.data.step, fact.data.attempt));
  const step = lastStep(view, fact.data.turn);
  switch (step?.state) {
    case "streaming":
      return fact.data.outcome === "failed" ? step : undefined; // a person's stop has a fact of its own
    case "aborted":
      return step.reason === STOPPED ? undefined : step; // and had it then
    default:
      return undefined;
  }
}

const STOPPED: Stop = "stopped";

/** A turn is ended though a draft can't be read: its words are lost, and nothing else. */
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
