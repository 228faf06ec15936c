// One attached session, as values: where its reader stands, and what each frame brings it. However often the
// connection is cut and whatever comes twice, the reader is given each fact once and in order; where something is
// missing it is asked for again, and loss is possible only as an explicit resync to a view.
import type { AnyEvent } from "../session/event.ts";
import { isFactPosition, seqOf, type Position } from "../session/position.ts";
import type { View } from "../session/view.ts";
import type { ProblemCode } from "../protocol/problem.ts";
import type { ClientFrame, Missed, ResyncReason, ServerFrame } from "../protocol/socket.ts";
import { NOTHING, sum, tally, type Tally } from "./tally.ts";

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
  /** Where it stood when it was cut off; null: it was not, or the server is to say since when something was missed. */
  since: Position | null;
  /** What came in this catch-up, and what in those before it that were cut off. */
  caught: Tally;
  carried: Tally;
};

export type SessionFrame =
  | Extract<ServerFrame, { session: string }>
  | (Extract<ServerFrame, { op: "error" }> & { session: string });

export type Delivery =
  /** `isReplay`: they were written while this reader was away, and are counted by the `caught_up` that follows. */
  | { type: "events"; events: AnyEvent[]; isReplay: boolean }
  | { type: "resync"; view: View; reason: ResyncReason }
  /** All that had been written is there. `missed` came after `since`: where this reader was cut off, else how far its person had read. */
  | { type: "caught_up"; position: Position; missed: Missed; since: Position; wasCut: boolean }
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
    since: start?.after ?? null,
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
  const since = from.since ?? from.position;
  const carried = sum(from.carried, from.caught);
  return { ...from, phase: "behind", gaps: 0, since, caught: NOTHING, carried };
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
      // The asks are those that are open, whenever they were opened: the last to count them is right.
      const missed = { ...sum(from.carried, frame.missed), asks: frame.missed.asks };
      const position = later(from.position, frame.position);
      const rest = { isFirst: false, gaps: 0, since: null, caught: NOTHING, carried: NOTHING };
      const since = from.since ?? frame.since;
      return {
        next: { ...from, position, phase: "live", ...rest },
        deliver: { type: "caught_up", position, missed, since, wasCut: from.since !== null },
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
  const isReplay = from.phase === "behind";
  const caught = isReplay ? tally(from.caught, fresh, hearer.person) : from.caught;
  const gaps = fresh.length > 0 ? 0 : from.gaps;
  const next: Attachment = { ...from, position, store: hearer.store, caught, gaps };
  const deliver: Pick<Accepted, "deliver"> =
    fresh.length > 0 ? { deliver: { type: "events", events: fresh, isReplay } } : {};
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
  // Of another log nothing that was counted so far holds: it is as if this reader came for the first time.
  const reader = isSameLog ? from : { ...wantView(from), gaps: from.gaps };
  const next: Attachment = { ...reader, position: view.position, store: hearer.store, phase: "behind" };
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
