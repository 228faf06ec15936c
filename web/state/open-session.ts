// A session that this tab follows: its view, folded in place so that a fact or a draft changes only what it names on
// the page, and the older messages that a person has paged back to.
import { batch } from "solid-js";
import { createMutable, modifyMutable, reconcile, unwrap } from "solid-js/store";
import type { Delivery } from "../../src/client/attachment.ts";
import { liveSession, type Change } from "../../src/client/live.ts";
import type { Attached } from "../../src/client/socket.ts";
import type { ProblemCode } from "../../src/protocol/problem.ts";
import type { HistoryPage } from "../../src/session/history.ts";
import type { Position } from "../../src/session/position.ts";
import type { Message, View } from "../../src/session/view.ts";

export type OpenSession = {
  /** Null until it has come for the first time; never again after that. */
  readonly view: View | null;
  /** All messages that are here, oldest first. */
  readonly messages: readonly Message[];
  /** `too_many`: there are, but the page holds as many as it may. */
  readonly earlier: "none" | "some" | "too_many";
  readonly refused: { code: ProblemCode; detail: string } | null;
  /** Adds the page in front of the oldest message; does nothing while one is on its way. */
  loadEarlier(): Promise<void>;
  leave(): void;
};

export type SessionSource = {
  attach(deliver: (delivery: Delivery) => void): Attached;
  history(before: Position): Promise<HistoryPage>;
};

/** However far someone pages back, the page holds about this many older messages. */
export const EARLIER_MAX = 2000;

export function openSession(source: SessionSource, changed: (change: Change) => void): OpenSession {
  const state = createMutable({
    view: null as View | null,
    earlier: [] as Message[],
    /** Where the next page of history ends; undefined: at the oldest message here; null: there is none. */
    next: undefined as Position | null | undefined,
    refused: null as OpenSession["refused"],
  });
  let isLoading = false;

  const live = liveSession(
    null,
    (deliver) => source.attach((delivery) => batch(() => take(delivery, deliver))),
    changed,
  );

  return {
    get view() {
      return state.view;
    },
    get messages() {
      return [...state.earlier, ...(state.view?.messages ?? [])];
    },
    get earlier() {
      if (state.next === null || (state.view?.earlier ?? 0) <= state.earlier.length) return "none";
      return state.earlier.length < EARLIER_MAX ? "some" : "too_many";
    },
    get refused() {
      return state.refused;
    },
    loadEarlier,
    leave: () => live.leave(),
  };

  function take(delivery: Delivery, deliver: (delivery: Delivery) => void): void {
    switch (delivery.type) {
      case "resync":
        return deliver({ ...delivery, view: replaceView(delivery.view) });
      case "events":
        for (const event of delivery.events) {
          const before = messagesNow();
          deliver({ type: "events", events: [event] });
          keepDropped(before);
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
  function replaceView(view: View): View {
    state.refused = null;
    if (state.view === null) {
      state.view = view;
      return state.view;
    }
    const here = [...unwrap(state.earlier), ...messagesNow()];
    const first = here.findIndex(({ id }) => id === view.messages[0]?.id);
    // Without a common message there is a hole between what we have and what came: the older part can be paged anew.
    state.earlier = first < 0 ? [] : here.slice(0, first);
    if (first < 0) state.next = undefined;
    modifyMutable(state.view, reconcile(view, { key: "id" }));
    return state.view;
  }

  /** The view is bounded, but what someone is reading does not vanish: it goes over to the older messages. */
  function keepDropped(before: readonly Message[]): void {
    const oldest = messagesNow()[0]?.id;
    const count = before.findIndex(({ id }) => id === oldest);
    if (count <= 0) return;
    state.earlier = bounded([...unwrap(state.earlier), ...before.slice(0, count)]);
  }

  function bounded(earlier: Message[]): Message[] {
    if (earlier.length <= EARLIER_MAX) return earlier;
    state.next = undefined;
    return earlier.slice(-EARLIER_MAX);
  }

  async function loadEarlier(): Promise<void> {
    const before = pageEnd();
    if (isLoading || before === undefined) return;
    isLoading = true;
    try {
      const page = await source.history(before);
      if (pageEnd() !== before) return; // a new view came meanwhile, and this page no longer touches it
      batch(() => {
        state.earlier = [...page.messages, ...unwrap(state.earlier)];
        state.next = page.next;
      });
    } finally {
      isLoading = false;
    }
  }

  /** Where the page in front of all that is here ends. */
  function pageEnd(): Position | undefined {
    if (state.next === null) return undefined;
    return state.next ?? (state.earlier[0] ?? state.view?.messages[0])?.position;
  }

  function messagesNow(): Message[] {
    return state.view === null ? [] : [...unwrap(state.view).messages];
  }
}
