// What a model had said of an answer that a person stopped: told to it, so that it knows when it is asked to go on. Whoever
// heard it speak knows its words; whoever carries the stop out after a crash finds them in the drafts.
import { attemptOf } from "../session/draft.ts";
import type { LongText, NewFact } from "../session/event.ts";
import { stepOf } from "../session/parts.ts";
import { DamagedEvent, type Store } from "../store/store.ts";

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
  const whole: NewFact[] = [];
  for (const fact of facts) {
    if (fact.type !== "step_aborted" || fact.data.reason !== "stopped") {
      whole.push(fact);
      continue;
    }
    const view = await store.view(session).catch(unlessDamaged);
    const step = view && stepOf(view, attemptOf(fact.data.step, fact.data.attempt));
    const texts = step?.parts.map((part) => (part.kind === "text" ? part.text : "")) ?? [];
    const words = await wordsOf(texts, (text) => longText(session, text));
    whole.push({ ...fact, data: { ...fact.data, ...words } });
  }
  return whole;
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
