import { createMemo, For, Show } from "solid-js";
import { visiblePieces } from "./visible-text.ts";

/** Nothing in it is hidden from whoever reads it. */
export function PlainText(props: { text: string }) {
  const pieces = createMemo(() => visiblePieces(props.text));
  return (
    <bdi>
      <For each={pieces()}>
        {(piece) => (
          <Show when={piece.hidden} fallback={piece.text}>
            <span class="hidden-character" title="A character that is not seen otherwise">
              {piece.text}
            </span>
          </Show>
        )}
      </For>
    </bdi>
  );
}
