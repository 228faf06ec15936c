// A button for what can't be undone: it asks once more, in its own place.
import { createSignal, Show } from "solid-js";
import { createAttempt } from "../attempt.ts";

export function TakeBack(props: {
  verb: string;
  /** What it is done to, for whoever hears the page. */
  what: string;
  run: () => Promise<void>;
}) {
  const [isAsking, setAsking] = createSignal(false);
  const attempt = createAttempt();

  async function run(): Promise<void> {
    await attempt.run(() => props.run());
    setAsking(false);
  }

  return (
    <span class="take-back">
      <Show
        when={isAsking()}
        fallback={
          <button type="button" aria-label={`${props.verb} ${props.what}`} onClick={() => setAsking(true)}>
            {props.verb}
          </button>
        }
      >
        <button type="button" disabled={attempt.isBusy()} onClick={() => setAsking(false)}>
          Keep
        </button>
        <button
          ref={(button) => queueMicrotask(() => button.focus())}
          class="danger"
          type="button"
          disabled={attempt.isBusy()}
          aria-label={`${props.verb} ${props.what} now`}
          onClick={() => void run()}
        >
          {props.verb} now
        </button>
      </Show>
      <Show when={attempt.failure()}>
        <span class="failure" role="alert">
          {attempt.failure()}
        </span>
      </Show>
    </span>
  );
}
