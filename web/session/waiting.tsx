// What stands between the transcript and the composer: inputs that no turn has taken yet. However many they are, the
// composer stays in the window: beyond a few they scroll, with the newest in view.
import { createEffect, createSignal, For, on, onCleanup, onMount, Show } from "solid-js";
import { textOf } from "../../src/session/parts.ts";
import type { QueuedInput, View } from "../../src/session/view.ts";

export function Waiting(props: { view: View; sending: readonly string[] }) {
  return (
    <Show when={props.view.queue.length + props.sending.length > 0}>
      <List {...props} />
    </Show>
  );
}

function List(props: { view: View; sending: readonly string[] }) {
  let list!: HTMLUListElement;
  const [scrolls, setScrolls] = createSignal(false);
  const count = () => props.view.queue.length + props.sending.length;

  onMount(() => {
    const resized = new ResizeObserver(() => setScrolls(list.scrollHeight > list.clientHeight));
    resized.observe(list);
    onCleanup(() => resized.disconnect());
  });
  createEffect(
    on(count, (now, before = 0) => {
      setScrolls(list.scrollHeight > list.clientHeight);
      if (now > before) list.scrollTop = list.scrollHeight;
    }),
  );

  return (
    // With a tab stop only while there is something to scroll.
    <ul ref={list} class="waiting" aria-label="Waiting inputs" tabindex={scrolls() ? 0 : undefined}>
      <For each={props.view.queue}>
        {(input) => (
          <li data-way={wayOf(input)}>
            <span class="text">{textOf(input.text)}</span>
            <span class="note">{whatItWaitsFor(input, props.view)}</span>
          </li>
        )}
      </For>
      <For each={props.sending}>
        {(text) => (
          <li>
            <span class="text">{text}</span>
            <span class="note">sending…</span>
          </li>
        )}
      </For>
    </ul>
  );
}

function wayOf(input: QueuedInput): "steer" | "now" | "queue" {
  return input.kind === "steer" ? "steer" : input.delivery;
}

function whatItWaitsFor(input: QueuedInput, view: View): string {
  if (view.held) return "held after the stop";
  if (input.kind === "steer") return "steers at the next step";
  return input.delivery === "now" ? "goes first, at once" : "waiting for its turn";
}
