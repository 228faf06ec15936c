// One attached session, as values: where its reader stands, and what each frame brings it. However often the
// connection is cut and whatever comes twice, the reader is given each fact once and in order; where something is
// missing it is asked for again, and loss is possible only as an explicit resync to a view.
import type { AnyEvent, NewEvent } from "../session/event.ts";
import { isFactPosition, seqOf, type Position } from "../session/position.ts";
import { tallyOf } from "../session/row.ts";
import type { View } from "../session/view.ts";
import type { ProblemCode } from "../protocol/problem.ts";
import type { ClientFrame, Missed, ResyncReason, ServerFrame } from "../protocol/socket.ts";

export type Attachment = {
  session: string;
  /** Of the last event that was given to the reader; null: it wants the view first. */
  position: Position | null;
  /** Of which store that is a position. */
  store: string | null;
  phase: "behind" | "live" | "closed" | "refused";
  /** It asked for the view and has not caught up yet: if it is cut off now, it asks for the view again. */
  isFirst: boolean;
  /** How often in a row something was missing. */
  gaps: number;
  /** What came in this catch-up, and what in those before it that were cut off. */
  caught: Tally;
  carried: Tally;
};

type Tally = { messages: number; tools: number; asks: readonly string[] };

export type SessionFrame =
  | Extract<ServerFrame, { session: string }>
  | (Extract<ServerFrame, { op: "error" }> & { session: string });

export type Delivery =
  | { type: "events"; events: AnyEvent[] }
  | { type: "resync"; view: View; reason: ResyncReason }
  /** All that had been written is there; `missed` is what came while this reader was away. */
  | { type: "caught_up"; position: Position; missed: Missed }
  | { type: "closed"; position: Position }
  | { type: "refused"; code: ProblemCode; detail: string };

export type Accepted = {
  next: Attachment;
  deliver?: Delivery;
  /** Something is missing. `attach`: again, where `next` stands; `reconnect`: that did not help. */
  again?: "attach" | "reconnect";
};

export type Hearer = { store: string; person: string };

/** What may be otherwise in a moment. */
const PASSING: ReadonlySet<ProblemCode> = new Set(["internal", "not_ready", "shutting_down"]);

const NOTHING: Tally = { messages: 0, tools: 0, asks: [] };
/** After so many fruitless tries to fill a gap the reader takes the view instead, and after twice as many another connection. */
const GAPS_MAX = 3;

export function attachment(session: string, start: { after: Position; store: string } | null): Attachment {
  return {
    session,
    position: start?.after ?? null,
    store: start?.store ?? null,
    phase: "behind",
    isFirst: start === null,
    gaps: 0,
    caught: NOTHING,
    carried: NOTHING,
  };
}

export function attachFrame({ session, position, store }: Attachment): ClientFrame {
  return {
    op: "attach",
    session,
    ...(position !== null && { after: position }),
    ...(position !== null && store !== null && { store }),
  };
}

/** The connection is gone: what was missed so far is kept for the sum. */
export function cut(from: Attachment): Attachment {
  if (from.phase === "closed" || from.phase === "refused") return from;
  if (from.isFirst) return wantView(from);
  return { ...from, phase: "behind", gaps: 0, caught: NOTHING, carried: sum(from.carried, from.caught) };
}

/** From here on the server counts what was missed from what this person has seen, so our own sum is void. */
export function wantView(from: Attachment): Attachment {
  return attachment(from.session, null);
}

export function accept(from: Attachment, frame: SessionFrame, hearer: Hearer): Accepted {
  switch (frame.op) {
    case "events":
      return acceptEvents(from, frame.events, hearer);
    case "resync":
      return acceptView(from, frame, hearer);
    case "caught_up": {
      // The sub may be further: drafts that were swept leave no event behind.
      if (from.position === null || seqOf(frame.position) > seqOf(from.position)) return gap(from);
      const { messages, tools, asks } = from.carried;
      const missed = {
        messages: messages + frame.missed.messages,
        tools: tools + frame.missed.tools,
        asks: asks.length + frame.missed.asks,
      };
      const position = later(from.position, frame.position);
      const rest = { isFirst: false, gaps: 0, caught: NOTHING, carried: NOTHING };
      return {
        next: { ...from, position, phase: "live", ...rest },
        deliver: { type: "caught_up", position, missed },
      };
    }
    case "closed":
      if (from.position === null || seqOf(frame.position) > seqOf(from.position)) return gap(from);
      return { next: { ...from, phase: "closed" }, deliver: { type: "closed", position: frame.position } };
    case "error":
      if (PASSING.has(frame.code)) return { next: from, again: "reconnect" };
      return {
        next: { ...from, phase: "refused" },
        deliver: { type: "refused", code: frame.code, detail: frame.detail },
      };
  }
}

function acceptEvents(from: Attachment, events: readonly AnyEvent[], hearer: Hearer): Accepted {
  if (from.position === null) return { next: from }; // of an attach before this one; the view is on its way
  let { position } = from;
  const fresh: AnyEvent[] = [];
  let isWhole = true;
  for (const event of events) {
    if (event.position <= position) continue;
    isWhole = follows(position, event.position);
    if (!isWhole) break;
    fresh.push(event);
    position = event.position;
  }
  const caught = from.phase === "behind" ? tally(from.caught, fresh, hearer.person) : from.caught;
  const carried = { ...from.carried, asks: stillOpen(from.carried.asks, fresh) };
  const gaps = fresh.length > 0 ? 0 : from.gaps;
  const next: Attachment = { ...from, position, store: hearer.store, caught, carried, gaps };
  const deliver: Pick<Accepted, "deliver"> =
    fresh.length > 0 ? { deliver: { type: "events", events: fresh } } : {};
  if (isWhole) return { next, ...deliver };
  // While a gap is being filled, what still comes from before that is passed over without another word.
  return gaps > 0 ? { next, ...deliver } : { ...gap(next), ...deliver };
}

function acceptView(
  from: Attachment,
  { view, reason }: Extract<SessionFrame, { op: "resync" }>,
  hearer: Hearer,
): Accepted {
  const isSameLog = from.store === hearer.store && reason !== "ahead" && reason !== "other_store";
  if (isSameLog && from.position !== null && view.position < from.position) return { next: from };
  const next: Attachment = { ...from, position: view.position, store: hearer.store, phase: "behind" };
  return { next, deliver: { type: "resync", view, reason } };
}

function gap(from: Attachment): Accepted {
  const gaps = from.gaps + 1;
  if (gaps > 2 * GAPS_MAX) return { next: { ...from, gaps: 0 }, again: "reconnect" };
  const next = gaps > GAPS_MAX ? wantView(from) : cut(from);
  return { next: { ...next, gaps }, again: "attach" };
}

/** Facts are gapless; drafts stand behind the last fact, and some of them may have been swept. */
function follows(have: Position, next: Position): boolean {
  return seqOf(next) === seqOf(have) + (isFactPosition(next) ? 1 : 0);
}

function later(one: Position, other: Position): Position {
  return one > other ? one : other;
}

/** As the server counts: steps with text and inputs by others, finished tools, asks that are open. */
function tally(before: Tally, events: readonly AnyEvent[], person: string): Tally {
  let { messages, tools } = before;
  for (const event of events) {
    const counted = tallyOf(event as NewEvent); // a type that we do not know counts as nothing
    const isOwn = event.type === "input_admitted" && "person" in event.by && event.by.person === person;
    if (counted === "message" && !isOwn) messages += 1;
    if (counted === "tool") tools += 1;
  }
  const opened = events.flatMap((event) => (event.type === "ask_opened" ? [askOf(event)] : []));
  return { messages, tools, asks: stillOpen([...before.asks, ...opened], events) };
}

function stillOpen(asks: readonly string[], events: readonly AnyEvent[]): readonly string[] {
  if (asks.length === 0) return asks;
  const over = new Set(
    events
      .filter(({ type }) => type === "ask_answered" || type === "ask_closed")
      .map((event) => askOf(event)),
  );
  return over.size === 0 ? asks : asks.filter((ask) => !over.has(ask));
}

function askOf(event: AnyEvent): string {
  return (event.data as { ask: string }).ask; // as all three facts about an ask have it
}

function sum(one: Tally, other: Tally): Tally {
  return {
    messages: one.messages + other.messages,
    tools: one.tools + other.tools,
    asks: [...one.asks, ...other.asks],
  };
}
