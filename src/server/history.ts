// Pages of a transcript outside the view's last messages, made from spans of the log by the same fold.
import type { AnyEvent } from "../session/event.ts";
import { inputsOutside, messagesBefore, type HistoryPage } from "../session/history.ts";
import { formatPosition, seqOf, START, type Position } from "../session/position.ts";
import type { LogId, Store } from "../store/store.ts";

/** A message is rarely more than a few facts; what is not reached is reached with the next page. */
const SPAN_FACTS = 400;
/** How far behind `before` a tool that was called in front of it may have finished. */
const BEHIND_FACTS = 100;
const READ_EVENTS = 500;
/** Drafts that never became facts lie between; they are not worth reading without end. */
const READS_MAX = 20;
const END = formatPosition(Number.MAX_SAFE_INTEGER, 0);

/** The messages in front of a position, the newest `limit` of them. */
export async function pageBack(
  store: Store,
  log: LogId,
  before: Position,
  limit: number,
): Promise<HistoryPage> {
  const front = await store.eventsBefore(log, before, SPAN_FACTS);
  const behind = await factsAfter(store, log, before, BEHIND_FACTS);
  const facts = [...front.toReversed(), ...behind];
  return messagesBefore(facts, await inputsOf(store, log, facts), before, limit);
}

/** The messages from a position on, the oldest `limit` of them: where a search hit opens. */
export async function pageFrom(
  store: Store,
  log: LogId,
  from: Position,
  limit: number,
): Promise<HistoryPage> {
  const facts = await factsAfter(store, log, justBefore(from), SPAN_FACTS);
  const { messages } = messagesBefore(facts, await inputsOf(store, log, facts), END, Infinity);
  if (messages.length > limit) return { messages: messages.slice(0, limit), next: messages[limit]!.position };
  const last = facts.at(-1);
  if (facts.length < SPAN_FACTS || last === undefined) return { messages, next: null };
  // The last message may go on behind the span: it is shown whole with the next page.
  if (messages.length > 1) return { messages: messages.slice(0, -1), next: messages.at(-1)!.position };
  return { messages, next: formatPosition(seqOf(last.position) + 1, 0) };
}

async function factsAfter(store: Store, log: LogId, after: Position, limit: number): Promise<AnyEvent[]> {
  const facts: AnyEvent[] = [];
  let position = after;
  for (let reads = 0; reads < READS_MAX && facts.length < limit; reads++) {
    const events = await store.events(log, position, READ_EVENTS);
    facts.push(...events.filter(({ type }) => type !== "draft"));
    position = events.at(-1)?.position ?? position;
    if (events.length < READ_EVENTS) break;
  }
  return facts.slice(0, limit);
}

async function inputsOf(store: Store, log: LogId, facts: readonly AnyEvent[]): Promise<AnyEvent[]> {
  const reads = inputsOutside(facts).map((position) => store.events(log, justBefore(position), 1));
  return (await Promise.all(reads)).flat();
}

/** Every `after` is exclusive, so the event at a position is the first one after this. */
function justBefore(position: Position): Position {
  const seq = seqOf(position);
  return seq === 0 ? START : formatPosition(seq - 1, Number.MAX_SAFE_INTEGER);
}
