// A session that this tab follows: its view, folded in place so that a fact or a draft changes only what it names on
// the page, and the older messages that a person has paged to.
import { batch, createSignal } from "solid-js";
import { createMutable, modifyMutable, reconcile, unwrap } from "solid-js/store";
import type { Delivery } from "../../src/client/attachment.ts";
import { liveSession, type Change } from "../../src/client/live.ts";
import type { Attached } from "../../src/client/socket.ts";
import type { ProblemCode } from "../../src/protocol/problem.ts";
import { isDraft } from "../../src/session/draft.ts";
import type { HistoryPage } from "../../src/session/history.ts";
import type { Position } from "../../src/session/position.ts";
import type { Message, View } from "../../src/session/view.ts";
import {
  earlierPage,
  messagesIn,
  NOTHING_OLDER,
  windowAround,
  withDropped,
  withEarlier,
  withLater,
  withView,
} from "./message-window.ts";

export type OpenSession = {
  /** Null until it has come for the first time; never again after that. */
  readonly view: View | null;
  /** What is here, oldest first and without a hole. Unwrapped, so that going through it costs nothing: read one by `live`. */
  readonly messages: readonly Message[];
  /** The same message, as the page follows it. */
  live(message: Message): Message;
  /** Whether there is more in front of what is here, and behind it. */
  readonly hasEarlier: boolean;
  readonly hasLater: boolean;
  readonly refused: { code: ProblemCode; detail: string } | null;
  /** Add the page in front or behind; while one is on its way they only wait for that. */
  loadEarlier(): Promise<void>;
  loadLater(): Promise<void>;
  /** Has the messages around a place here, wherever it is. */
  reach(at: Position): Promise<void>;
  /** Lets go of what was paged to, when that has lost touch with the end. */
  reachEnd(): void;
  /** Where the reader stands: the end, or so many pixels below the top of a message. */
  place: Place;
  /** While it is looked at, what drops out of the view stays on the page. The returned function ends that. */
  look(): () => void;
  leave(): void;
};

export type Place = "end" | { message: string; belowPx: number };

export type SessionSource = {
  attach(deliver: (delivery: Delivery) => void): Attached;
  history(where: { before: Position } | { from: Position }): Promise<HistoryPage>;
};

export function openSession(source: SessionSource, changed: (change: Change) => void): OpenSession {
  const state = createMutable({
    view: null as View | null,
    refused: null as OpenSession["refused"],
  });
  const [window, setWindow] = createSignal(NOTHING_OLDER);
  const [messages, setMessages] = createSignal<readonly Message[]>([]);
  let loading: Promise<void> | null = null;
  let lookers = 0;

  const live = liveSession(
    null,
    (deliver) => source.attach((delivery) => batch(() => take(delivery, deliver))),
    changed,
  );

  const session: OpenSession = {
    get view() {
      return state.view;
    },
    get messages() {
      return messages();
    },
    live: (message) => createMutable(message), // which gives the one that it has already
    get hasEarlier() {
      messages();
      const view = newest();
      return view !== null && earlierPage(window(), view) !== null;
    },
    get hasLater() {
      return window().end !== null;
    },
    get refused() {
      return state.refused;
    },
    loadEarlier,
    loadLater,
    reach,
    reachEnd() {
      if (window().end !== null) arrange(NOTHING_OLDER);
    },
    place: "end",
    look() {
      lookers += 1;
      return () => {
        lookers -= 1;
        // Coming back leads to the end, which the view has.
        if (lookers === 0 && session.place === "end") arrange(NOTHING_OLDER);
      };
    },
    leave: () => live.leave(),
  };
  return session;

  function take(delivery: Delivery, deliver: (delivery: Delivery) => void): void {
    switch (delivery.type) {
      case "resync": {
        const isSameLog = delivery.reason !== "ahead" && delivery.reason !== "other_store";
        return deliver({ ...delivery, view: replaceView(delivery.view, isSameLog) });
      }
      case "events":
        for (const event of delivery.events) {
          const before = isDraft(event) ? undefined : [...(newest()?.messages ?? [])];
          deliver({ ...delivery, events: [event] });
          if (before) keepDropped(before);
        }
        return;
      case "refused":
        state.refused = { code: delivery.code, detail: delivery.detail };
        return;
      case "caught_up":
      case "closed":
        return deliver(delivery);
    }
  }

  /** In place and by id: what did not change stays as it stands on the page, open rows stay open. */
  function replaceView(view: View, isSameLog: boolean): View {
    state.refused = null;
    const before = newest();
    if (before === null || state.view === null) {
      state.view = view;
      arrange(NOTHING_OLDER);
      return state.view;
    }
    const next = isSameLog ? withView(window(), before, view, session.place !== "end") : NOTHING_OLDER;
    modifyMutable(state.view, reconcile(view, { key: "id" }));
    arrange(next);
    return state.view;
  }

  function keepDropped(before: readonly Message[]): void {
    const now = newest()?.messages ?? [];
    if (now.at(-1) === before.at(-1) && now.length === before.length) return;
    const kept = before.findIndex(({ id }) => id === now[0]?.id);
    arrange(withDropped(window(), kept < 0 ? before : before.slice(0, kept), lookers > 0));
  }

  async function loadEarlier(): Promise<void> {
    const before = pageInFront();
    if (loading !== null || before === null) return loading ?? undefined;
    await load(async () => {
      const page = await source.history({ before });
      // Else a new view came meanwhile, and this page no longer touches it.
      if (pageInFront() === before) arrange(withEarlier(window(), page));
    });
  }

  async function loadLater(): Promise<void> {
    const from = window().end;
    if (loading !== null || from === null) return loading ?? undefined;
    await load(async () => {
      const page = await source.history({ from });
      const view = newest();
      if (view !== null && window().end === from) arrange(withLater(window(), view, page));
    });
  }

  async function reach(at: Position): Promise<void> {
    const [first] = messages();
    const { end } = window();
    const isInFront = first !== undefined && at < first.position && pageInFront() !== null;
    if (!isInFront && (end === null || at < end)) return;
    const [before, from] = await Promise.all([source.history({ before: at }), source.history({ from: at })]);
    const view = newest();
    if (view !== null) arrange(windowAround(view, before, from));
  }

  async function load(page: () => Promise<void>): Promise<void> {
    try {
      loading = page();
      await loading;
    } finally {
      loading = null;
    }
  }

  function arrange(next: typeof NOTHING_OLDER): void {
    const view = newest();
    batch(() => {
      setWindow(next);
      setMessages(view === null ? [] : messagesIn(next, view));
    });
  }

  function pageInFront(): Position | null {
    const view = newest();
    return view === null ? null : earlierPage(window(), view);
  }

  function newest(): View | null {
    return state.view === null ? null : unwrap(state.view);
  }
}
