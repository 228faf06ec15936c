// A button for what can't be undone: it asks once more, in its own place.
import { createSignal, Show } from "solid-js";
import { failureWords } from "../failure-words.ts";

export function TakeBack(props: {
  verb: string;
  /** What it is done to, for whoever hears the page. */
  what: string;
  run: () => Promise<void>;
}) {
  const [isAsking, setAsking] = createSignal(false);
  const [isRunning, setRunning] = createSignal(false);
  const [failure, setFailure] = createSignal<string>();

  async function run(): Promise<void> {
    setFailure(undefined);
    setRunning(true);
    try {
      await props.run();
    } catch (error) {
      setFailure(failureWords(error));
    } finally {
      setRunning(false);
      setAsking(false);
    }
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
        <button type="button" disabled={isRunning()} onClick={() => setAsking(false)}>
          Keep
        </button>
        <button
          ref={(button) => queueMicrotask(() => button.focus())}
          class="danger"
          type="button"
          disabled={isRunning()}
          aria-label={`${props.verb} ${props.what} now`}
          onClick={() => void run()}
        >
          {props.verb} now
        </button>
      </Show>
      <Show when={failure()}>
        <span class="failure" role="alert">
          {failure()}
        </span>
      </Show>
    </span>
  );
}
