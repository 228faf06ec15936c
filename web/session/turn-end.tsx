import { Show } from "solid-js";
import type { Message } from "../../src/session/view.ts";
import { between } from "../time-words.ts";
import { usageWords } from "./usage-words.ts";

export function TurnEnd(props: { end: Extract<Message, { kind: "turn_end" }> }) {
  const facts = () => {
    const { startedAt, at, usage, outcome } = props.end;
    return [
      outcome,
      startedAt === null ? "" : between(startedAt, at),
      usage.inputTokens + usage.outputTokens > 0 ? usageWords(usage) : "",
    ].filter((text) => text !== "");
  };
  return (
    <>
      <Show when={props.end.error}>
        {(error) => (
          <div class="error" role="group" aria-label="Error">
            <b>The turn failed</b>
            <p class="text">{error().message}</p>
            <Show when={error().details}>
              <details>
                <summary>Details</summary>
                <pre>{error().details}</pre>
              </details>
            </Show>
          </div>
        )}
      </Show>
      <Show when={!props.end.error && props.end.message}>
        <p class="text">{props.end.message}</p>
      </Show>
      <p class="note">{facts().join(" · ")}</p>
    </>
  );
}
