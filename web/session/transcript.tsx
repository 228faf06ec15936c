// The messages, oldest first. It follows the end only while the end is in view.
import { createEffect, createSignal, For, on, onCleanup, onMount, Show } from "solid-js";
import type { Position } from "../../src/session/position.ts";
import type { View } from "../../src/session/view.ts";
import { failureWords } from "../failure-words.ts";
import type { Followed } from "../state/followed.ts";
import { markSeen } from "./mark-seen.ts";
import { MessageRow } from "./message.tsx";
import { OpenAsks } from "./asks.tsx";
import { placeOf, reachPlace } from "./place.ts";

/** Nearer to the end than this counts as at the end. */
const END_PX = 48;

export function Transcript(props: { followed: Followed; view: View; at: Position | null }) {
  const [isAtEnd, setAtEnd] = createSignal(true);
  const [failure, setFailure] = createSignal<string>();
  const [shown, setShown] = createSignal<string>();
  let scroller!: HTMLElement;
  let column!: HTMLOListElement;

  const toEnd = () => {
    scroller.scrollTop = scroller.scrollHeight;
  };
  onMount(() => {
    // Before the next paint, so that growth at the end never shows as a jump.
    const growth = new ResizeObserver(() => {
      if (isAtEnd()) toEnd();
    });
    growth.observe(column);
    growth.observe(scroller);
    onCleanup(() => growth.disconnect());
  });
  markSeen(props.followed, isAtEnd);
  createEffect(
    on(
      () => props.at,
      (at) => {
        if (at !== null) void show(at);
      },
    ),
  );

  let lastTop = 0;
  function onScroll(): void {
    const { scrollTop, scrollHeight, clientHeight } = scroller;
    const isNear = scrollHeight - scrollTop - clientHeight < END_PX;
    // What came since the scroll that this tells of may have moved the end away: only going up is leaving it.
    if (isNear || scrollTop < lastTop) setAtEnd(isNear);
    lastTop = scrollTop;
  }

  async function loadEarlier(): Promise<void> {
    const fromBottom = scroller.scrollHeight - scroller.scrollTop;
    setFailure(undefined);
    try {
      await props.followed.session.loadEarlier();
      scroller.scrollTop = scroller.scrollHeight - fromBottom; // what was in view stays where it was
    } catch (error) {
      setFailure(failureWords(error));
    }
  }

  /** A hit of the search: pages back as far as its message is. */
  async function show(at: Position): Promise<void> {
    setAtEnd(false);
    try {
      await reachPlace(props.followed.session, at);
    } catch (error) {
      setFailure(failureWords(error));
    }
    const id = placeOf(props.followed.session.messages, at);
    if (id === undefined || props.at !== at) return;
    setShown(id);
    document.getElementById(id)?.scrollIntoView({ block: "center" });
  }

  return (
    <section class="log" aria-label="Transcript" tabindex="0" ref={scroller} onScroll={onScroll}>
      <Earlier followed={props.followed} load={() => void loadEarlier()} />
      <Show when={failure()}>
        <p class="failure" role="alert">
          {failure()}
        </p>
      </Show>
      <ol class="column" ref={column}>
        <For each={props.followed.session.messages}>
          {(message) => <MessageRow message={message} isShown={shown() === message.id} />}
        </For>
        <OpenAsks asks={props.view.asks} />
      </ol>
      <Show when={props.view.messages.length === 0 && props.view.queue.length === 0}>
        <p class="hint">Nothing has been said here yet.</p>
      </Show>
      <Show when={!isAtEnd()}>
        <button class="latest" type="button" onClick={toEnd}>
          Latest ↓
        </button>
      </Show>
    </section>
  );
}

function Earlier(props: { followed: Followed; load: () => void }) {
  const exported = () => `/api/sessions/${encodeURIComponent(props.followed.id)}/export?format=md`;
  return (
    <Show when={props.followed.session.earlier !== "none"}>
      <p class="earlier">
        <Show
          when={props.followed.session.earlier === "some"}
          fallback={
            <>
              This page holds no more; <a href={exported()}>the export</a> has all of it.
            </>
          }
        >
          <button type="button" onClick={() => props.load()}>
            Show earlier messages
          </button>
        </Show>
      </p>
    </Show>
  );
}
