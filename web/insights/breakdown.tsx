// The same use by what it was for, the most first.
import { createSignal, For, onCleanup, onMount, Show, type JSX } from "solid-js";
import type { UsageItem } from "../../src/client/commands.ts";
import { createLoaded } from "../loaded.ts";
import { Arrived, Section } from "../section.tsx";
import { useDashboard } from "../state/dashboard.ts";
import { sumWords, tokensOf } from "./sum-words.ts";

const FIRST_ROWS = 8;
/** What the server gives at once at most. */
const ROWS_MAX = 200;

export function Breakdown(props: {
  by: "model" | "profile" | "session";
  title: string;
  since: () => string;
  name: (item: UsageItem) => JSX.Element;
  /** Calls back whenever something may have been used. */
  whenUsed: (reload: () => void) => () => void;
}) {
  const { client } = useDashboard();
  const [limit, setLimit] = createSignal(FIRST_ROWS);
  const loaded = createLoaded((signal) =>
    client.usage({ by: props.by, since: props.since(), limit: limit() }, signal),
  );
  onMount(() => onCleanup(props.whenUsed(() => void loaded.reload())));

  function showAll(): void {
    setLimit(ROWS_MAX);
    void loaded.reload();
  }

  return (
    <Section id={`by-${props.by}`} title={props.title}>
      <Arrived loaded={loaded}>
        {(report) => (
          <>
            <ul class="shares">
              <For each={report().items} fallback={<li class="note">Nothing yet.</li>}>
                {(item) => (
                  <li>
                    <span class="name">{props.name(item)}</span>
                    <span class="amount">{sumWords(item)}</span>
                    <span class="track" aria-hidden="true">
                      <span
                        style={{
                          width: `${(tokensOf(item) / Math.max(1, tokensOf(report().total))) * 100}%`,
                        }}
                      />
                    </span>
                  </li>
                )}
              </For>
            </ul>
            <Show when={report().next !== null && limit() < ROWS_MAX}>
              <button type="button" class="quiet" onClick={showAll}>
                Show more
              </button>
            </Show>
          </>
        )}
      </Arrived>
    </Section>
  );
}
