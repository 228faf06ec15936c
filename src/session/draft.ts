// Drafts and the facts that make them superfluous. Free of the schema library: the page folds with this.
import type { NewDraft, NewFact } from "./event.ts";

export function isDraft(event: { type: string }): event is NewDraft {
  return event.type === "draft";
}

/** Whose fact will carry this part whole: a part is `<owner>/<n>`. */
export function ownerOf(part: string): string {
  const slash = part.lastIndexOf("/");
  return slash < 0 ? part : part.slice(0, slash);
}

/** The owner whose drafts this fact makes superfluous, if any. */
export function sweptBy(event: { type: string; data: unknown }): string | undefined {
  const fact = event as NewFact; // a type that we do not know falls through both lines
  if (fact.type === "step_completed") return attemptOf(fact.data.step, fact.data.attempt);
  if (fact.type === "tool_finished") return fact.data.call;
  return undefined;
}

export function attemptOf(step: string, attempt: number): string {
  return `${step}.${attempt}`;
}
