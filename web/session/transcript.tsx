// The messages, oldest first, as many of them as are in view. It follows the end only while the end is in view, and
// pages in what lies further back or ahead as someone gets near it.
import { createEffect, createMemo, createSignal, For, on, onCleanup, onMount, Show, untrack } from "solid-js";
import { START, type Position } from "../../src/session/position.ts";
import type { Message, View } from "../../src/session/view.ts";
import { failureWords } from "../failure-words.ts";
import type { Followed } from "../state/followed.ts";
import { OpenAsks } from "./asks.tsx";
import { markSeen } from "./mark-seen.ts";
import { MessageRow } from "./message.tsx";
import { keepOpen } from "./open-rows.ts";
import { placeOf } from "./place.ts";
import { createVirtualRows } from "./virtual-rows.ts";

/** Nearer to the end than this counts as at the end. */
const END_PX = 48;

export function Transcript(props: { followed: Followed; view: View; at: Position | null }) {
  const { session } = props.followed; // the pane is made anew for another one
  const [isNearEnd, setNearEnd] = createSignal(session.place === "end");
  const [belowPx, setBelowPx] = createSignal(0);
  const [failure, setFailure] = createSignal<string>();
  const [shown, setShown] = createSignal<string>();
  let scroller!: HTMLElement;
  let content!: HTMLDivElement;
  let below!: HTMLDivElement;

  const keys = createMemo(() => session.messages.map(keyOf));
  const rows = createVirtualRows({
    keys,
    estimatePx: (index) => ESTIMATES_PX[session.messages[index]?.kind ?? "step"],
    scroller: () => scroller,
    belowPx,
    start: untrack(startingPlace),
  });
  const isAtEnd = () => isNearEnd() && !session.hasLater;
  markSeen(props.followed, isAtEnd);
  onCleanup(session.look());

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
    on([rows.first, rows.mounted, () => session.messages], ([first, mounted, messages]) => {
      if (mounted.length === 0 || failure() !== undefined) return;
      if (first < NEAR_ROWS && session.hasEarlier) void attempt(() => session.loadEarlier());
      if (first + mounted.length > messages.length - NEAR_ROWS && session.hasLater)
        void attempt(() => session.loadLater());
    }),
  );

  let lastTop = 0;
  function onScroll(): void {
    const { scrollTop, scrollHeight, clientHeight } = scroller;
    const isNear = scrollHeight - scrollTop - clientHeight < END_PX;
    // What came since the scroll that this tells of may have moved the end away: only going up is leaving it.
    if (isNear || scrollTop < lastTop) setNearEnd(isNear);
    lastTop = scrollTop;
    keepPlace();
  }

  function keepPlace(): void {
    const top = rows.atTop();
    const message = top && session.messages[top.index];
    session.place = isAtEnd() || !message ? "end" : { message: keyOf(message), belowPx: top.belowPx };
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
    setNearEnd(true);
    rows.toEnd();
  }

  async function toBeginning(): Promise<void> {
    setNearEnd(false);
    await attempt(() => session.reach(START));
    rows.scrollTo(0, -scroller.clientHeight);
  }

  /** A place that the address names: a hit of the search, or where someone left off. */
  async function show(at: Position): Promise<void> {
    setNearEnd(false);
    await attempt(() => session.reach(at));
    const id = placeOf(session.messages, at);
    if (id === undefined || props.at !== at) return;
    setShown(id);
    rows.center(session.messages.findIndex((message) => message.id === id));
  }

  async function attempt(load: () => Promise<void>): Promise<void> {
    setFailure(undefined);
    try {
      await load();
    } catch (error) {
      setFailure(failureWords(error));
    }
  }

  function onKeyDown(event: KeyboardEvent): void {
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey && !event.shiftKey;
    if (!isPlain || isTyping(event.target)) return;
    if (event.key === "End") toLatest();
    else if (event.key === "Home") void toBeginning();
    else return;
    event.preventDefault();
  }

  return (
    <div class="log-frame">
      <section
        class="log"
        aria-label="Transcript"
        tabindex="0"
        ref={scroller}
        onScroll={onScroll}
        onKeyDown={onKeyDown}
      >
        <div ref={content}>
          <ol
            class="column"
            style={{ "padding-top": `${rows.blankPx()}px`, "min-height": `${rows.heightPx()}px` }}
          >
            <For each={rows.mounted()}>
              {(key, n) => {
                const message = untrack(() => session.messages[rows.first() + n()]);
                return (
                  message && (
                    <Row
                      key={key}
                      message={session.live(message)}
                      index={rows.first() + n()}
                      isShown={shown() === message.id}
                      measure={rows.measure}
                    />
                  )
                );
              }}
            </For>
          </ol>
          <div ref={below}>
            <ol class="column asks">
              <OpenAsks asks={props.view.asks} />
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
        <button class="latest" type="button" onClick={toLatest}>
          Latest ↓
        </button>
      </Show>
    </div>
  );
}

/** Nearer to either end of what is here than this many rows, the next page is asked for. */
const NEAR_ROWS = 20;

const ESTIMATES_PX: Record<Message["kind"], number> = {
  input: 58,
  step: 120,
  turn_end: 20,
  divider: 20,
  notice: 22,
  task: 42,
};

/** Its id alone would not do: a task that ends long after it began has a row at either place. */
function keyOf({ position, id }: Message): string {
  return `${position} ${id}`;
}

function Row(props: {
  key: string;
  message: Message;
  index: number;
  isShown: boolean;
  measure: (row: HTMLElement) => void;
}) {
  let row!: HTMLLIElement;
  keepOpen(props.key, () => row);
  onMount(() => props.measure(row));
  return (
    <MessageRow
      ref={(made) => (row = made)}
      index={props.index}
      message={props.message}
      isShown={props.isShown}
    />
  );
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches("input, textarea, select, [contenteditable]");
}
