// Enter sends, Shift+Enter breaks the line; an input method's own Enter does neither.
import { onMount, Show } from "solid-js";
import type { Outbox } from "../state/outbox.ts";

const INPUT_MAX_CHARS = 500_000;

export function Composer(props: { outbox: Outbox; placeholder: string; hasFocus?: boolean }) {
  let field!: HTMLTextAreaElement;
  onMount(() => {
    if (props.hasFocus) field.focus();
  });
  return (
    <form
      class="box"
      onSubmit={(event) => {
        event.preventDefault();
        props.outbox.send();
        field.focus();
      }}
    >
      <Show when={props.outbox.failure}>
        <p class="failure" role="alert">
          Not sent: {props.outbox.failure} Your text is back below.
        </p>
      </Show>
      <div class="line">
        <textarea
          ref={field}
          aria-label="Message"
          rows={1}
          maxlength={INPUT_MAX_CHARS}
          placeholder={props.placeholder}
          title="Enter sends, Shift+Enter breaks the line"
          value={props.outbox.text}
          onInput={(event) => props.outbox.setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.shiftKey || isComposing(event)) return;
            event.preventDefault();
            props.outbox.send();
          }}
        />
        <button class="go" type="submit" disabled={props.outbox.text.trim() === ""}>
          Send
        </button>
      </div>
    </form>
  );
}

/** Safari ends the composition before the key that ended it; only its old code still tells. */
function isComposing(event: KeyboardEvent): boolean {
  return event.isComposing || event.keyCode === 229;
}
