// Over the transcript, when someone is back: what came meanwhile, and the way to where they left off.
import { createEffect, createMemo, onCleanup, Show, type Accessor } from "solid-js";
import { Icon } from "../icon.tsx";
import { isNarrow } from "../media.ts";
import type { Away } from "../state/away.ts";
import { awayWords } from "./away-words.ts";

/** Whoever has had the end in view for so long has read what it says. */
const READ_MS = 12_000;

export function AwayBanner(props: {
  away: Away;
  /** The end is in view, and someone is looking. */
  isRead: Accessor<boolean>;
  jump: () => void;
}) {
  const words = createMemo(() => props.away.news && awayWords(props.away.news, isNarrow()));
  let hasJumped = false;
  createEffect(() => {
    if (props.away.news === null) hasJumped = false;
    if (props.away.news === null || !props.isRead()) return;
    // Whoever went back to where they were and came to the end again has read all of it.
    const timer = setTimeout(() => props.away.dismiss(), hasJumped ? 0 : READ_MS);
    onCleanup(() => clearTimeout(timer));
  });
  return (
    <div class="away" role="status">
      <Show when={words()}>
        <p>
          <button
            class="words"
            type="button"
            title="Go to where you were"
            onClick={() => {
              hasJumped = true;
              props.jump();
            }}
          >
            {words()}
          </button>
          <button class="quiet" type="button" aria-label="Dismiss" onClick={() => props.away.dismiss()}>
            <Icon name="close" />
          </button>
        </p>
      </Show>
    </div>
  );
}
