// Pages of a transcript: the messages outside a view, made from a span of the log by the same fold.
import { applyFact, queuedInput } from "./apply-fact.ts";
import { attemptOf } from "./draft.ts";
import type { AnyEvent, Fact } from "./event.ts";
import type { Step } from "./parts.ts";
import { formatPosition, isPosition, seqOf, type Position } from "./position.ts";
import { emptyView, type Message, type View } from "./view.ts";

export type HistoryPage = {
  messages: Message[];
  /** Where the next page begins or, paging back, ends; null when there is none. */
  next: Position | null;
};

/**
 * `facts` is a span of the log, oldest first. Rows that begin in front of it are left to the next page. A span can hold
 * no message at all; `next` leads on all the same. `inputs` are the events at `inputsOutside(facts)`.
 */
export function messagesBefore(
  facts: readonly AnyEvent[],
  inputs: readonly AnyEvent[],
  before: Position,
  limit: number,
): HistoryPage {
  const earlier = rowsOf(facts, inputs).filter(({ position }) => position < before);
  const messages = earlier.slice(-limit);
  const first = facts[0]?.position;
  const atStart = first === undefined || seqOf(first) <= 1;
  if (messages.length < earlier.length) return { messages, next: messages[0]!.position };
  return { messages, next: atStart ? null : (messages[0]?.position ?? first) };
}

/** The same for what follows a position; `end` is where the next page goes on, null when there is nothing to go on with. */
export function messagesFrom(
  facts: readonly AnyEvent[],
  inputs: readonly AnyEvent[],
  from: Position,
  end: Position | null,
  limit: number,
): HistoryPage {
  const first = formatPosition(seqOf(from), 0); // a draft's position is that of what it is a part of
  const rows = rowsOf(facts, inputs).filter(
    ({ position }) => position >= first && (end === null || position < end),
  );
  if (rows.length > limit) return { messages: rows.slice(0, limit), next: rows[limit]!.position };
  return { messages: rows, next: end };
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

/** Whether facts behind the span may still say more of it: an answer that is not whole, a call without its result. */
export function goesOn(message: Message): boolean {
  if (message.kind !== "step" || message.state === "aborted") return false;
  return (
    message.state === "streaming" ||
    message.parts.some((part) => part.kind === "tool" && part.state !== "finished")
  );
}

/** Whether its turn began in front of the span: how long that took and what it used is then not known. */
export function beganBefore(message: Message): boolean {
  return message.kind === "turn_end" && message.startedAt === null;
}

/** A row of which no fact of the span has the words, and between which positions its drafts lie. */
export type Drafted = { row: Step; after: Position; before: Position };

/** What broke off, is being said, or is being put out by a tool: all else stands in its fact. */
export function draftedRows(facts: readonly AnyEvent[], messages: readonly Message[]): Drafted[] {
  const aborted = new Map<string, Position>();
  for (const event of facts) {
    const fact = event as Fact; // narrowed on the next line
    if (fact.type === "step_aborted")
      aborted.set(attemptOf(fact.data.step, fact.data.attempt), fact.position);
  }
  const last = facts.at(-1);
  const end = formatPosition((last ? seqOf(last.position) : 0) + 1, 0);
  return messages.flatMap((row): Drafted[] => {
    if (row.kind !== "step" || (row.state !== "aborted" && !goesOn(row))) return [];
    return [{ row, after: row.position, before: aborted.get(row.id) ?? end }];
  });
}

/** A view of this row alone, as it was when its drafts came: to be folded into it. */
export function openRow(row: Step): View {
  const open: Step =
    row.state === "aborted" ? { ...row, state: "streaming", parts: [] } : structuredClone(row);
  return { ...emptyView(), messages: [open] };
}

/** The row with what its drafts have said. */
export function closedRow(row: Step, { messages: [open] }: View): Step {
  return open?.kind === "step" && open.parts.length > 0 ? { ...row, parts: open.parts } : row;
}

function rowsOf(facts: readonly AnyEvent[], inputs: readonly AnyEvent[]): Message[] {
  const view = emptyView();
  for (const event of inputs) seedInput(view, event);
  for (const event of facts) {
    if (event.type === "input_edited") seedInput(view, event); // it may have been sent before the span
    applyFact(view, event as Fact); // unknown types change nothing
  }
  return view.messages;
}

function seedInput(view: View, event: AnyEvent): void {
  const fact = event as Fact; // narrowed on the next line
  if (fact.type !== "input_admitted" && fact.type !== "input_edited") return;
  if (!view.queue.some(({ input }) => input === fact.data.input)) view.queue.push(queuedInput(fact));
}
