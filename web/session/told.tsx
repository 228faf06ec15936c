// What a slash command has said, until it is closed or the next one speaks.
import { For, Show } from "solid-js";
import { Icon } from "../icon.tsx";
import { Link } from "../link.tsx";
import type { Told } from "./slash-desk.ts";

export function ToldCard(props: { told: Told; close: () => void }) {
  return (
    <section class="told" role="status">
      <header>
        <b>{props.told.title}</b>
        <button class="quiet" type="button" aria-label="Close" title="Close" onClick={() => props.close()}>
          <Icon name="close" />
        </button>
      </header>
      <Show when={props.told.lines.length > 0}>
        <ul>
          <For each={props.told.lines}>
            {(line) => (
              <li>
                <Show when={line.href} fallback={<span>{line.text}</span>}>
                  {(href) => <Link href={href()}>{line.text}</Link>}
                </Show>
                <Show when={line.note}>
                  <span class="note">{line.note}</span>
                </Show>
              </li>
            )}
          </For>
        </ul>
      </Show>
    </section>
  );
}
