// How a turn ended: what it took, or why it failed and how to try again.
import { createMemo, Show, untrack } from "solid-js";
import { failedTurn } from "../../src/session/retry.ts";
import type { Message } from "../../src/session/view.ts";
import { createAttempt } from "../attempt.ts";
import { useDashboard } from "../state/dashboard.ts";
import { between } from "../time-words.ts";
import { visible } from "../visible.ts";
import { Fold } from "./fold.tsx";
import { useSession } from "./session-context.ts";
import { usageWords } from "./usage-words.ts";

type TurnEndRow = Extract<Message, { kind: "turn_end" }>;

export function TurnEnd(props: { end: TurnEndRow }) {
  const { session } = useSession();
  /** The one that answered last. */
  const model = () =>
    untrack(() => session.messages).findLast(
      (message) => message.kind === "step" && message.turn === props.end.turn,
    );
  const facts = createMemo(() => {
    const { startedAt, at, usage, outcome } = props.end;
    const step = model();
    return [
      outcome,
      startedAt === null ? "" : between(startedAt, at),
      step?.kind === "step" ? step.model : "",
      usage.inputTokens + usage.outputTokens > 0 ? usageWords(usage) : "",
    ].filter((text) => text !== "");
  });
  return (
    <>
      <Show when={props.end.error}>{(error) => <Failure end={props.end} error={error()} />}</Show>
      <Show when={!props.end.error && props.end.message}>
        <p class="text">{props.end.message}</p>
      </Show>
      <p class="note">{facts().join(" · ")}</p>
    </>
  );
}

function Failure(props: { end: TurnEndRow; error: NonNullable<TurnEndRow["error"]> }) {
  const { client } = useDashboard();
  const { id, session } = useSession();
  const attempt = createAttempt();
  const isLast = () => session.view !== null && failedTurn(session.view) === props.end.turn;
  const retry = () => attempt.run(() => client.retry(id));
  return (
    <div class="error" role="group" aria-label="Error">
      <b>The turn failed</b>
      <p class="text">{visible(props.error.message)}</p>
      <Show when={props.error.details}>
        {(details) => (
          <Fold name={`${props.end.id} details`} summary="Details">
            <pre>{visible(details())}</pre>
          </Fold>
        )}
      </Show>
      <Show when={isLast()}>
        <p class="acts">
          <button type="button" disabled={attempt.isBusy()} onClick={() => void retry()}>
            Try this turn again
          </button>
          <Show when={attempt.failure()}>
            {(failure) => (
              <span class="failure" role="alert">
                {failure()}
              </span>
            )}
          </Show>
        </p>
      </Show>
    </div>
  );
}
