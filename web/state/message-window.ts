// Which messages in front of the view are on the page: a stretch of the log without a hole, bounded. Whoever pages far
// back loses touch with the view at its end, and whoever goes forward again reaches it. All as values.
import type { HistoryPage } from "../../src/session/history.ts";
import { formatPosition, seqOf, type Position } from "../../src/session/position.ts";
import type { Message, View } from "../../src/session/view.ts";

export type MessageWindow = {
  /** Oldest first. */
  readonly older: readonly Message[];
  /** Where the page in front of them ends; null: the log begins here; undefined: the view alone says. */
  readonly start: Position | null | undefined;
  /** Where the page behind them begins; null: the view's messages follow at once. */
  readonly end: Position | null;
};

type Newest = Pick<View, "messages" | "earlier">;

/** However far someone scrolls, the page holds about this many messages beside the view's. */
export const OLDER_MAX = 600;

export const NOTHING_OLDER: MessageWindow = { older: [], start: undefined, end: null };

export function messagesIn({ older, end }: MessageWindow, view: Newest): readonly Message[] {
  return end === null ? [...older, ...view.messages] : older;
}

/** What to ask for with `before`; null: there is nothing in front. */
export function earlierPage({ older, start }: MessageWindow, view: Newest): Position | null {
  if (start !== undefined) return start;
  const count = view.earlier - older.length;
  return count > 0 ? ((older[0] ?? view.messages[0])?.position ?? null) : null;
}

export function withEarlier(window: MessageWindow, page: HistoryPage): MessageWindow {
  const older = [...page.messages, ...window.older];
  const dropped = older[OLDER_MAX];
  if (dropped === undefined) return { ...window, older, start: page.next };
  return { older: older.slice(0, OLDER_MAX), start: page.next, end: dropped.position };
}

export function withLater(window: MessageWindow, view: Newest, page: HistoryPage): MessageWindow {
  const first = view.messages[0]?.position;
  const fresh =
    first === undefined ? page.messages : page.messages.filter(({ position }) => position < first);
  const older = [...window.older, ...fresh];
  const end = reaches(page, fresh, first) ? null : (page.next ?? after(page.messages));
  return boundedInFront({ ...window, older, end });
}

/** A stretch around a place far from all that is here. */
export function windowAround(view: Newest, before: HistoryPage, from: HistoryPage): MessageWindow {
  return withLater({ older: before.messages, start: before.next, end: from.next }, view, from);
}

/** The view is bounded. What someone is looking at does not vanish: it goes over to the older messages. */
export function withDropped(
  window: MessageWindow,
  dropped: readonly Message[],
  isLookedAt: boolean,
): MessageWindow {
  const [first] = dropped;
  if (first === undefined || window.end !== null) return window;
  if (isLookedAt) return boundedInFront({ ...window, older: [...window.older, ...dropped] });
  return window.older.length === 0 ? NOTHING_OLDER : { ...window, end: first.position };
}

/** Another view has come in place of `before`. Without a common message there is a hole between the two. */
export function withView(
  window: MessageWindow,
  before: Newest,
  view: Newest,
  isReading: boolean,
): MessageWindow {
  const here = messagesIn(window, before);
  const common = here.findIndex(({ id }) => id === view.messages[0]?.id);
  if (common >= 0) return { ...window, older: here.slice(0, common), end: null };
  if (!isReading) return NOTHING_OLDER;
  if (window.end !== null) return window;
  // The last one may have gone on since: it comes whole with the page behind.
  const last = here.at(-1);
  if (last === undefined) return NOTHING_OLDER;
  return { older: here.slice(0, -1), start: earlierPage(window, before), end: last.position };
}

/** Whether the view's messages follow the page at once. */
function reaches(page: HistoryPage, fresh: readonly Message[], first: Position | undefined): boolean {
  if (fresh.length < page.messages.length) return true;
  if (page.next !== null) return first !== undefined && page.next >= first;
  // The view may have moved on while the page was on its way; only what overlaps proves that nothing lies between.
  return page.messages.length === 0 || first === undefined;
}

function after(messages: readonly Message[]): Position | null {
  const last = messages.at(-1);
  return last === undefined ? null : formatPosition(seqOf(last.position) + 1, 0);
}

function boundedInFront(window: MessageWindow): MessageWindow {
  if (window.older.length <= OLDER_MAX) return window;
  const older = window.older.slice(-OLDER_MAX);
  return { ...window, older, start: older[0]?.position };
}
