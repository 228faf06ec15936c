// What came while a person was away from a session: counted for as long as the tab follows it, told when they are back.
import { createSignal } from "solid-js";
import type { Change } from "../../src/client/live.ts";
import { NOTHING, sum, tally, type Tally } from "../../src/client/tally.ts";
import { formatPosition, seqOf, START, type Position } from "../../src/session/position.ts";
import type { OpenAsk, View } from "../../src/session/view.ts";

export type Away = {
  /** What the person is told, until they have read it; null: nothing. */
  readonly news: News | null;
  /** Where they left off, for as long as the session is on screen. */
  readonly divider: Position | null;
  /** Whether it is known by now what was missed; before that nothing may count as seen. */
  readonly isKnown: boolean;
  hear(change: Change): void;
  /** Its end is in view, and someone is looking. */
  sawAll(): void;
  /** The list says that all up to there has been read, on whichever device. */
  readElsewhere(position: Position): void;
  /** The session comes on screen, or the tab that shows it. */
  returned(): void;
  /** The session goes off the screen. */
  left(): void;
  dismiss(): void;
};

export type News = Tally & {
  how: "reconnected" | "returned";
  since: Position;
  /** Those opened since then which are still open. */
  asks: readonly OpenAsk[];
};

type Unseen = Tally & { since: Position };

export function createAway(view: () => View | null, person: () => string): Away {
  const [news, setNews] = createSignal<Omit<News, "asks"> | null>(null);
  const [divider, setDivider] = createSignal<Position | null>(null);
  const [isKnown, setKnown] = createSignal(false);
  let unseen: Unseen = { since: START, ...NOTHING };
  let isOnScreen = false;

  return {
    get news() {
      const told = news();
      return told && { ...told, asks: asksSince(told.since) };
    },
    get divider() {
      return divider();
    },
    get isKnown() {
      return isKnown();
    },
    hear(change) {
      if (change.type === "event" && !change.isReplay)
        unseen = { ...unseen, ...tally(unseen, [change.event], person()) };
      if (change.type === "resync" && (change.reason === "ahead" || change.reason === "other_store")) begin();
      if (change.type === "caught_up") caughtUp(change);
    },
    sawAll() {
      if (isKnown()) unseen = { since: lastFact(), ...NOTHING };
    },
    readElsewhere(position) {
      // What we hold may be newer than what the list tells of.
      if (unseen.messages > 0 && position >= lastFact()) unseen = { since: lastFact(), ...NOTHING };
    },
    returned() {
      isOnScreen = true;
      if (isKnown()) tell("returned", unseen);
    },
    left() {
      isOnScreen = false;
      setNews(null);
      setDivider(null);
    },
    dismiss: () => setNews(null),
  };

  /** The log is another one than before: where one was in the old one, and what came there, is nowhere in it. */
  function begin(): void {
    unseen = { since: START, ...NOTHING };
    setKnown(false);
    setNews(null);
    setDivider(null);
  }

  function caughtUp({ missed, since, wasCut }: Extract<Change, { type: "caught_up" }>): void {
    const came = { messages: missed.messages, tools: missed.tools };
    unseen = wasCut ? { since: unseen.since, ...sum(unseen, came) } : { since, ...came };
    setKnown(true);
    if (isOnScreen) tell(wasCut ? "reconnected" : "returned", { since, ...came });
  }

  /** What still stands is added to: a second gap is no reason to forget the first. */
  function tell(how: News["how"], missed: Unseen): void {
    if (missed.since === START) return; // whoever was never here was not away
    if (missed.messages + missed.tools + asksSince(missed.since).length === 0) return;
    const told = news();
    const since = told?.since ?? missed.since;
    setNews({ how, since, ...sum(told ?? NOTHING, missed) });
    setDivider(since);
  }

  function lastFact(): Position {
    return formatPosition(seqOf(view()?.position ?? START), 0);
  }

  function asksSince(since: Position): readonly OpenAsk[] {
    return view()?.asks.filter(({ position }) => position > since) ?? [];
  }
}
