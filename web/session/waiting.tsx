// What stands between the transcript and the composer: inputs that no turn has taken yet.
import { For, Show } from "solid-js";
import { textOf } from "../../src/session/parts.ts";
import type { View } from "../../src/session/view.ts";

export function Waiting(props: { view: View; sending: readonly string[] }) {
  return (
    <Show when={props.view.queue.length + props.sending.length > 0}>
      <ul class="waiting" aria-label="Waiting inputs">
        <For each={props.view.queue}>
          {(input) => (
            <li>
              <span class="text">{textOf(input.text)}</span>
              <span class="note">{props.view.held ? "held after the stop" : "waiting for its turn"}</span>
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
    </Show>
  );
}
