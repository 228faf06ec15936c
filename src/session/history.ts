// Paging back: the messages in front of a view, made from a span of the log by the same fold.
import { applyFact, queuedInput } from "./apply-fact.ts";
import type { AnyEvent, Fact } from "./event.ts";
import { isPosition, seqOf, type Position } from "./position.ts";
import { emptyView, type Message, type View } from "./view.ts";

export type HistoryPage = {
  messages: Message[];
  /** What to ask for next with `before`; null at the beginning of the log. */
  next: Position | null;
};

/**
 * `facts` is a span of the log, oldest first, that ends some way after `before`: a tool that was called in front of
 * `before` may have finished behind it. Rows that begin in front of the span are left to the next page. A span can hold
 * no message at all; `next` leads on all the same. `inputs` are the events at `inputsOutside(facts)`.
 */
export function messagesBefore(
  facts: readonly AnyEvent[],
  inputs: readonly AnyEvent[],
  before: Position,
  limit: number,
): HistoryPage {
  const view = emptyView();
  for (const event of inputs) seedInput(view, event);
  for (const event of facts) {
    if (event.type === "input_edited") seedInput(view, event); // it may have been sent before the span
    if (event.type !== "draft") applyFact(view, event as Fact); // unknown types change nothing
  }
  const earlier = view.messages.filter(({ position }) => position < before);
  const messages = earlier.slice(-limit);
  const first = facts[0]?.position;
  const atStart = first === undefined || seqOf(first) <= 1;
  if (messages.length < earlier.length) return { messages, next: messages[0]!.position };
  return { messages, next: atStart ? null : (messages[0]?.position ?? first) };
}

/** An input may have waited long: where the texts stand that were delivered within the span but sent before it. */
export function inputsOutside(facts: readonly AnyEvent[]): Position[] {
  const first = facts[0]?.position;
  return facts.flatMap((event) => {
    const fact = event as Fact;
    if (fact.type !== "input_delivered") return [];
    const { from } = fact.data;
    return isPosition(from) && first !== undefined && from < first ? [from] : [];
  });
}

function seedInput(view: View, event: AnyEvent): void {
  const fact = event as Fact; // narrowed on the next line
  if (fact.type !== "input_admitted" && fact.type !== "input_edited") return;
  if (!view.queue.some(({ input }) => input === fact.data.input)) view.queue.push(queuedInput(fact));
}
