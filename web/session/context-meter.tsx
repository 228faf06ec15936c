import { Show } from "solid-js";
import type { ContextUse } from "./context-use.ts";
import { shortNumber } from "./usage-words.ts";

/** Amber near the end of what the model takes in. */
const NEAR_FULL = 0.75;

export function ContextMeter(props: { use: ContextUse | null }) {
  return (
    <Show when={props.use} fallback={<span class="note">unknown until the model answers</span>}>
      {(use) => (
        <span class="meter" title={wordsFor(use())}>
          <span
            class="track"
            role="meter"
            aria-label="Context in use"
            aria-valuemin="0"
            aria-valuemax="100"
            aria-valuenow={percent(use())}
            aria-valuetext={wordsFor(use())}
          >
            <span
              classList={{ full: use().share >= NEAR_FULL }}
              style={{ width: `${Math.max(2, percent(use()))}%` }}
            />
          </span>
          <span aria-hidden="true">{use().share < 0.01 ? "< 1" : percent(use())} %</span>
        </span>
      )}
    </Show>
  );
}

function percent({ share }: ContextUse): number {
  return Math.round(share * 100);
}

function wordsFor({ tokens, of }: ContextUse): string {
  return `${shortNumber(tokens)} of ${shortNumber(of)} tokens of context in use`;
}
