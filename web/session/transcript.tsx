// The messages, oldest first, as many of them as are in view. It follows the end only while the end is in view, and
// pages in what lies further back or ahead as someone gets near it.
import {
  createEffect,
  createMemo,
  createSignal,
  For,
  on,
  onCleanup,
  onMount,
  Show,
  untrack,
  type Accessor,
} from "solid-js";
import { START, type Position } from "../../src/session/position.ts";
import type { View } from "../../src/session/view.ts";
import { OpenAsks } from "../asks/open-asks.tsx";
import { failureWords } from "../failure-words.ts";
import { useDashboard } from "../state/dashboard.ts";
import type { Followed } from "../state/followed.ts";
import { createVisibility } from "../state/visibility.ts";
import { AwayBanner } from "./away-banner.tsx";
import { entriesOf, LEFT_OFF, leftOffAt } from "./entries.ts";
import { markSeen } from "./mark-seen.ts";
import { estimatePx, TranscriptRow } from "./transcript-row.tsx";
import { placeOf } from "./place.ts";
import { createPrinting } from "./print.ts";
import { ABOVE_PX, createVirtualRows } from "./virtual-rows.ts";

/** Nearer to the end than this counts as at the end. */
const END_PX = 48;
/** Nearer to either end of what is here than this many rows, the next page is asked for. */
const NEAR_ROWS = 20;

export function Transcript(props: { followed: Followed; view: View; at: Position | null }) {
  const { session, away } = props.followed; // the pane is made anew for another one
  const { connection } = useDashboard();
  const [isNearEnd, setNearEnd] = createSignal(session.place === "end");
  const [belowPx, setBelowPx] = createSignal(0);
  const [failure, setFailure] = createSignal<string>();
  const [shown, setShown] = createSignal<string>();
  let toFocus: string | undefined;
  let scroller!: HTMLElement;
  let content!: HTMLDivElement;
  let below!: HTMLDivElement;

  const entries = createMemo(() => {
    const { messages, hasLater } = session;
    return entriesOf(messages, leftOffAt(messages, away.divider, hasLater));
  });
  const keys = createMemo(() => entries().map(({ key }) => key));
  const rows = createVirtualRows({
    keys,
    estimatePx: (index) => estimatePx(entries()[index]),
    scroller: () => scroller,
    belowPx,
    start: untrack(startingPlace),
  });

  const isPrinting = createPrinting();
  const blankPx = () => (isPrinting() ? ABOVE_PX : rows.blankPx());

  const isAtEnd = createMemo(() => isNearEnd() && !session.hasLater);
  const isVisible = createVisibility();
  const isSeen = () => isAtEnd() && isVisible();
  onCleanup(session.look());
  beAway(props.followed, isVisible);
  markSeen(props.followed, isSeen);

  onMount(() => {
    // Before the next paint, so that growth at the end never shows as a jump.
    const growth = new ResizeObserver(() => {
      setBelowPx(below.offsetHeight);
      if (isAtEnd()) rows.toEnd();
    });
    growth.observe(content);
    growth.observe(scroller);
    onCleanup(() => growth.disconnect());
    queueMicrotask(() => {
      const start = startingPlace();
      if (props.at !== null) return;
      if (start === "end") rows.toEnd();
      else rows.scrollTo(start.index, start.belowPx);
    });
  });

  createEffect(
    on(
      () => props.at,
      (at) => {
        if (at !== null) void show(at);
      },
    ),
  );
  createEffect(
    on([rows.first, rows.mounted, entries, failure], ([first, mounted, all, failed]) => {
      if (mounted.length === 0 || failed !== undefined || isPrinting()) return;
      if (first < NEAR_ROWS && session.hasEarlier) void attempt(() => session.loadEarlier());
      if (first + mounted.length > all.length - NEAR_ROWS && session.hasLater)
        void attempt(() => session.loadLater());
    }),
  );
  createEffect(
    on(
      () => connection().state,
      (state) => {
        if (state === "connected") setFailure(undefined);
      },
    ),
  );

  let lastTop = 0;
  let lastTouchY = 0;
  /** Whoever means to go up leaves the end with the first pixel, or what streams in would pull them back. */
  let goesUp = false;
  function onTouchMove({ touches }: TouchEvent): void {
    const y = touches[0]?.clientY ?? lastTouchY;
    if (y !== lastTouchY) goesUp = y > lastTouchY;
    lastTouchY = y;
  }

  function onScroll(): void {
    const { scrollTop, scrollHeight, clientHeight } = scroller;
    const isNear = scrollHeight - scrollTop - clientHeight < (goesUp ? 1 : END_PX);
    // What came since the scroll that this tells of may have moved the end away: only going up is leaving it.
    if (isNear || scrollTop < lastTop) setNearEnd(isNear);
    lastTop = scrollTop;
    keepPlace();
  }

  function keepPlace(): void {
    const top = rows.atTop();
    const message = top && keys()[top.index];
    // The line is gone after this visit: it is no place to come back to.
    if (message === LEFT_OFF) return;
    session.place = isAtEnd() || message === undefined ? "end" : { message, belowPx: top?.belowPx ?? 0 };
  }

  function startingPlace(): { index: number; belowPx: number } | "end" {
    if (session.place === "end") return "end";
    const { message, belowPx } = session.place;
    const index = keys().indexOf(message);
    return index < 0 ? "end" : { index, belowPx };
  }

  function toLatest(): void {
    session.reachEnd();
    setFailure(undefined);
    goesUp = false;
    setNearEnd(true);
    rows.toEnd();
  }

  async function toBeginning(): Promise<void> {
    setNearEnd(false);
    await attempt(() => session.reach(START));
    rows.toStart();
  }

  /** A place that the address names, as a hit of the search. */
  async function show(at: Position): Promise<void> {
    setNearEnd(false);
    await attempt(() => session.reach(at));
    const id = placeOf(session.messages, at);
    if (id === undefined || props.at !== at) return;
    setShown(id);
    toFocus = id;
    rows.center(entries().findIndex(({ message }) => message?.id === id));
    focusRow(document.getElementById(id));
  }

  /** Whoever follows a link lands where it leads, by keyboard and screen reader too; once, or scrolling would be a trap. */
  function focusRow(row: HTMLElement | null): void {
    if (row === null || row.id !== toFocus) return;
    toFocus = undefined;
    row.tabIndex = -1;
    row.focus({ preventScroll: true });
  }

  function placeRow(row: HTMLElement): void {
    rows.measure(row);
    focusRow(row);
  }

  async function toLeftOff(): Promise<void> {
    const since = away.divider;
    if (since === null) return;
    await attempt(() => session.reach(since));
    const index = keys().indexOf(LEFT_OFF);
    if (index < 0) return;
    setNearEnd(false);
    rows.center(index);
  }

  async function attempt(load: () => Promise<void>): Promise<void> {
    try {
      await load();
    } catch (error) {
      setFailure(failureWords(error));
    }
  }

  function onKeyDown(event: KeyboardEvent): void {
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey && !event.shiftKey;
    if (!isPlain || isTyping(event.target)) return;
    if (event.key === "ArrowUp" || event.key === "PageUp") goesUp = true;
    if (event.key === "ArrowDown" || event.key === "PageDown") goesUp = false;
    if (event.key === "End") toLatest();
    else if (event.key === "Home") void toBeginning();
    else return;
    event.preventDefault();
  }

  return (
    <div class="log-frame">
      <AwayBanner away={away} isRead={isSeen} jump={() => void toLeftOff()} />
      <section
        class="log"
        aria-label="Transcript"
        tabindex="0"
        ref={scroller}
        onScroll={onScroll}
        onWheel={({ deltaY }) => (goesUp = deltaY < 0)}
        onTouchStart={({ touches }) => (lastTouchY = touches[0]?.clientY ?? 0)}
        onTouchMove={onTouchMove}
        onKeyDown={onKeyDown}
      >
        <div ref={content}>
          <Show when={session.hasEarlier}>
            <p class="on-paper note">
              What came earlier is not printed here. “Print” in the session's menu prints it too.
            </p>
          </Show>
          <ol
            class="column"
            style={{ "padding-top": `${blankPx()}px`, "min-height": `${rows.heightPx()}px` }}
          >
            <For each={isPrinting() ? keys() : rows.mounted()}>
              {(_, n) => {
                const index = () => (isPrinting() ? 0 : rows.first()) + n();
                return (
                  <TranscriptRow
                    entry={untrack(() => entries()[index()])}
                    session={session}
                    index={index()}
                    shown={shown()}
                    mounted={placeRow}
                  />
                );
              }}
            </For>
          </ol>
          <div ref={below}>
            <ol class="column asks">
              <OpenAsks session={props.followed.id} view={props.view} />
            </ol>
          </div>
        </div>
        <Show when={props.view.messages.length === 0 && props.view.queue.length === 0}>
          <p class="hint">Nothing has been said here yet.</p>
        </Show>
      </section>
      <Show when={failure()}>
        <p class="log-failure" role="alert">
          <span class="failure">{failure()}</span>{" "}
          <button type="button" onClick={() => setFailure(undefined)}>
            Try again
          </button>
        </p>
      </Show>
      <Show when={!isAtEnd()}>
        <button
          class="latest"
          type="button"
          onClick={() => {
            toLatest();
            scroller.focus(); // the button goes
          }}
        >
          Latest ↓
        </button>
      </Show>
    </div>
  );
}

/** A glance at another tab is not being away. */
const AWAY_MS = 30_000;

function beAway({ away }: Followed, isVisible: Accessor<boolean>): void {
  let hiddenAt = 0;
  away.returned();
  onCleanup(() => away.left());
  createEffect(
    on(
      isVisible,
      (isBack) => {
        if (!isBack) hiddenAt = Date.now();
        else if (Date.now() - hiddenAt > AWAY_MS) away.returned();
      },
      { defer: true },
    ),
  );
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches("input, textarea, select, [contenteditable]");
}
