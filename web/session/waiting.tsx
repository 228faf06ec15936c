// What stands between the transcript and the composer: inputs that no turn has taken yet, to be changed, moved, removed or
// sent ahead. However many they are, the composer stays in the window: beyond a few they scroll, with the newest in view.
import { createEffect, createSignal, For, on, Show } from "solid-js";
import type { View } from "../../src/session/view.ts";
import { createAttempt } from "../attempt.ts";
import { useDashboard } from "../state/dashboard.ts";
import type { Outbox } from "../state/outbox.ts";
import { keptEdit } from "../state/kept-edit.ts";
import { filesWords } from "./files-words.ts";
import { LeftEdit } from "./waiting-edit.tsx";
import { createDrag } from "./waiting-drag.ts";
import { WaitingRow } from "./waiting-row.tsx";

type WaitingProps = { session: string; view: View; outbox: Outbox };

export function Waiting(props: WaitingProps) {
  const count = () => props.view.queue.length + props.outbox.sending.length;
  const left = () => {
    const edit = keptEdit("queue", props.session);
    return edit && !props.view.queue.some(({ input }) => input === edit.input) ? edit : undefined;
  };
  return (
    <>
      <Show when={left()}>
        {(edit) => <LeftEdit session={props.session} edit={edit()} outbox={props.outbox} />}
      </Show>
      <Show when={props.view.held && props.view.queue.length > 0}>
        <Held session={props.session} count={props.view.queue.length} />
      </Show>
      <Show when={count() > 0}>
        <List {...props} />
      </Show>
    </>
  );
}

function List(props: WaitingProps) {
  let list!: HTMLUListElement;
  /** The one row that Tab reaches; the arrow keys go to the others. */
  const [current, setCurrent] = createSignal<string>();
  const ids = () => props.view.queue.map(({ input }) => input);
  const reached = () => {
    const id = current();
    return id !== undefined && ids().includes(id) ? id : ids().at(-1);
  };
  const drag = createDrag(ids);
  const count = () => ids().length + props.outbox.sending.length;

  createEffect(
    on(count, (now, before = 0) => {
      if (now > before) list.scrollTop = list.scrollHeight;
    }),
  );

  function goTo(input: string | undefined): void {
    if (input === undefined) return;
    setCurrent(input);
    list.querySelector<HTMLElement>(`[data-input="${CSS.escape(input)}"]`)?.focus();
  }

  /** The next one, or else the composer under the list. */
  function focusInPlaceOf(place: number): void {
    const compose = list.closest(".compose");
    queueMicrotask(() => {
      if (ids().length > 0) goTo(ids()[Math.min(place, ids().length - 1)]);
      else compose?.querySelector<HTMLElement>(".box textarea")?.focus();
    });
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.target instanceof HTMLTextAreaElement || event.altKey) return;
    const at = ids().findIndex((id) => id === reached());
    const next = { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: ids().length - 1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    goTo(ids()[Math.max(0, Math.min(next, ids().length - 1))]);
  }

  return (
    <ul
      ref={list}
      class="waiting"
      aria-label="Waiting inputs"
      onKeyDown={onKeyDown}
      onDragLeave={(event) => {
        const { relatedTarget: to } = event;
        if (!(to instanceof Node && list.contains(to))) drag.out();
      }}
      onDrop={(event) => event.preventDefault()}
    >
      <For each={props.view.queue}>
        {(input, n) => (
          <WaitingRow
            session={props.session}
            view={props.view}
            input={input}
            place={n()}
            isReached={input.input === reached()}
            reach={() => setCurrent(input.input)}
            leave={() => focusInPlaceOf(n())}
            drag={drag}
          />
        )}
      </For>
      <For each={props.outbox.sending}>
        {({ text, files }) => (
          <li>
            <span class="text">{text}</span>
            <span class="note">{files === 0 ? "sending…" : `sending with ${filesWords(files)}…`}</span>
          </li>
        )}
      </For>
    </ul>
  );
}

/** After a stop nothing goes on by itself, nor after a failure that every prompt would share. */
function Held(props: { session: string; count: number }) {
  const { client } = useDashboard();
  const release = createAttempt();
  return (
    <p class="held">
      <span>
        {props.count === 1 ? "One input is" : `${props.count} inputs are`} held since a turn was stopped or
        failed.
        <Show when={release.failure()}>
          <span class="failure" role="alert">
            {" "}
            {release.failure()}
          </span>
        </Show>
      </span>
      <button
        type="button"
        disabled={release.isBusy()}
        onClick={() => void release.run(() => client.releaseQueue(props.session))}
      >
        Go on
      </button>
    </p>
  );
}
