// A tool call as a quiet row that opens to what was asked and what came back.
import { createMemo, For, Show } from "solid-js";
import type { ToolPart } from "../../src/session/view.ts";
import { useDashboard } from "../state/dashboard.ts";
import { duration } from "../time-words.ts";
import { argumentsOf, outcomeOf, purposeOf, tailOf } from "./tool-words.ts";

const TAIL_LINES = 3;

export function Tool(props: { part: ToolPart }) {
  const { now } = useDashboard();
  const outcome = createMemo(() => outcomeOf(props.part));
  const time = createMemo(() => {
    const { startedAt, endedAt } = props.part;
    if (startedAt === null) return "";
    if (endedAt !== null) return duration(Date.parse(endedAt) - Date.parse(startedAt));
    return duration(1000 * Math.floor(Math.max(0, now() - Date.parse(startedAt)) / 1000));
  });
  /** What it says while it runs. */
  const draft = () => (props.part.state === "started" ? props.part.draft : "");
  return (
    <div class="tool" data-part={props.part.id} data-outcome={outcome().kind}>
      <details>
        <summary>
          <span class="sign" aria-hidden="true" />
          <span class="what">
            <b>{props.part.name || "tool"}</b> <span class="purpose">{purposeOf(props.part)}</span>
          </span>
          <span class="outcome" aria-hidden="true">
            {outcome().words}
          </span>
          <span class="unseen">{outcome().spoken}</span>
          <time>{time()}</time>
        </summary>
        <For each={argumentsOf(props.part)}>
          {([name, value]) => (
            <div class="argument">
              <span>{name}</span>
              <pre>{value}</pre>
            </div>
          )}
        </For>
        <Show when={draft() || props.part.result}>
          {(output) => (
            <pre class="output" tabindex="0" aria-label="Output">
              {output()}
            </pre>
          )}
        </Show>
        <Show when={props.part.resultChars > props.part.result.length}>
          <p class="note">
            The first {props.part.result.length.toLocaleString("en")} of{" "}
            {props.part.resultChars.toLocaleString("en")} characters; the export has all of it.
          </p>
        </Show>
      </details>
      <Show when={draft()}>{(said) => <pre class="tail">{tailOf(said(), TAIL_LINES)}</pre>}</Show>
    </div>
  );
}
