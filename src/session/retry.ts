// A turn that failed can be tried again: another one goes on where it ended. What was said and done so far is in the log, the
// model is told all of it, and nothing that was done is done twice.
import type { NewFact } from "./event.ts";
import { turnId } from "./next-step.ts";
import type { View } from "./view.ts";

/** The last turn, if it failed and nothing was tried since. */
export function failedTurn({ failed, turn, ended, messages }: View): string | undefined {
  if (!failed || turn || ended) return undefined;
  const last = messages.findLast((message) => message.kind === "turn_end");
  return last?.kind === "turn_end" && last.outcome === "failed" ? last.turn : undefined;
}

/** No input begins it: whoever leads next finds a turn without a step, and calls the model. */
export function retryFact(view: View, retries: string): Extract<NewFact, { type: "turn_started" }> {
  return { type: "turn_started", data: { turn: turnId(view), inputs: [], retries } };
}
