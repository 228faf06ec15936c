import { For, Show } from "solid-js";
import type { OpenAsk } from "../../src/session/view.ts";

export function OpenAsks(props: { asks: readonly OpenAsk[] }) {
  return (
    <For each={props.asks}>
      {(ask) => (
        <li class="message ask">
          <b>{ask.kind === "approval" ? "Waits for an approval" : "Waits for an answer"}</b>
          <p class="text">{ask.title}</p>
          <Show when={ask.command}>
            <pre>{ask.command}</pre>
          </Show>
          <Show when={ask.cwd}>
            <p class="note">in {ask.cwd}</p>
          </Show>
        </li>
      )}
    </For>
  );
}
