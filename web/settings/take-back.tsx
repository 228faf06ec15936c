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
  let frame!: HTMLSpanElement;

  async function run(): Promise<void> {
    const handOn = focusAfter(frame);
    await attempt.run(() => props.run());
    setAsking(false);
    handOn();
  }

  function keep(): void {
    setAsking(false);
    frame.querySelector("button")?.focus();
  }

  return (
    <span
      ref={frame}
      class="take-back"
      onKeyDown={(event) => {
        if (event.key === "Escape" && isAsking() && !attempt.isBusy()) keep();
      }}
    >
      <Show
        when={isAsking()}
        fallback={
          <button type="button" aria-label={`${props.verb} ${props.what}`} onClick={() => setAsking(true)}>
            {props.verb}
          </button>
        }
      >
        <button type="button" disabled={attempt.isBusy()} onClick={keep}>
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

/** To be called when it is done: its row is gone then, or else it is asked about no longer. */
function focusAfter(frame: HTMLElement): () => void {
  const section = frame.closest("section");
  const place = [...(section?.querySelectorAll(".take-back") ?? [])].indexOf(frame);
  return () => {
    if (frame.isConnected) return frame.querySelector("button")?.focus();
    const left = [...(section?.querySelectorAll<HTMLElement>(".take-back") ?? [])];
    const next = left[Math.min(place, left.length - 1)]?.querySelector("button") ?? section;
    if (next === section) next?.setAttribute("tabindex", "-1"); // nothing is left in it: read on from here
    next?.focus();
  };
}
