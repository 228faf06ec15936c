// Changing an input while it waits. If it is taken meanwhile, what was written goes to the composer instead of nowhere.
import { onCleanup, onMount, Show } from "solid-js";
import { INPUT_MAX_CHARS } from "../../src/protocol/limits.ts";
import type { QueuedInput } from "../../src/session/view.ts";
import type { Attempt } from "../attempt.ts";
import { useDashboard } from "../state/dashboard.ts";
import type { Outbox } from "../state/outbox.ts";
import { keptEdit, setKeptEdit, type KeptEdit } from "../state/kept-edit.ts";
import { hasKeyboard, isComposing } from "./keys.ts";

export function EditWaiting(props: { session: string; input: QueuedInput; change: Attempt }) {
  const { client } = useDashboard();
  const edit = () => keptEdit("queue", props.session);
  const text = () => edit()?.text ?? "";
  let field!: HTMLTextAreaElement;
  onMount(() => {
    field.focus();
    field.setSelectionRange(field.value.length, field.value.length);
  });

  onCleanup(() => {
    const row = field.closest("li");
    if (row?.contains(document.activeElement)) queueMicrotask(() => row.focus());
  });

  async function save(): Promise<void> {
    const saved = text();
    if (saved.trim() === "" || props.change.isBusy()) return;
    const isSaved = await props.change.run(() =>
      client.patchInput(props.session, props.input.input, { text: saved.trim() }),
    );
    if (isSaved && text() === saved) setKeptEdit("queue", props.session, null);
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (isComposing(event)) return;
    event.stopPropagation();
    if (event.key === "Escape") {
      event.preventDefault();
      setKeptEdit("queue", props.session, null);
    }
    if (event.key !== "Enter" || event.shiftKey || !hasKeyboard) return;
    event.preventDefault();
    void save();
  }

  return (
    <div class="edit">
      <textarea
        ref={field}
        aria-label="Change the waiting input"
        rows={1}
        maxlength={INPUT_MAX_CHARS}
        value={text()}
        onInput={(event) => {
          const now = edit();
          if (now) setKeptEdit("queue", props.session, { ...now, text: event.currentTarget.value });
        }}
        onKeyDown={onKeyDown}
      />
      <Show when={edit()?.position !== props.input.position}>
        <p class="note">It was changed elsewhere since you began: saving puts yours in its place.</p>
      </Show>
      <div class="buttons">
        <button class="go" type="button" disabled={text().trim() === ""} onClick={() => void save()}>
          Save
        </button>
        <button type="button" onClick={() => setKeptEdit("queue", props.session, null)}>
          Cancel
        </button>
      </div>
    </div>
  );
}

/** The input is no longer in the queue, but words for it are still here. */
export function LeftEdit(props: { session: string; edit: KeptEdit; outbox: Outbox }) {
  function toComposer(): void {
    const { text } = props.outbox;
    props.outbox.setText(text.trim() === "" ? props.edit.text : `${props.edit.text}\n\n${text}`);
    setKeptEdit("queue", props.session, null);
  }
  return (
    <div class="held" role="status">
      <span>
        The input that you were changing no longer waits: the agent has taken it as it was, or it was removed.
        Your words: <q>{props.edit.text}</q>
      </span>
      <button type="button" onClick={toComposer}>
        Put them below
      </button>
      <button class="quiet" type="button" onClick={() => setKeptEdit("queue", props.session, null)}>
        Discard
      </button>
    </div>
  );
}
