// Changing an input while it waits. If it is taken meanwhile, what was written goes to the composer instead of nowhere.
import { onCleanup, onMount, Show } from "solid-js";
import { INPUT_MAX_CHARS } from "../../src/protocol/limits.ts";
import type { QueuedInput } from "../../src/session/view.ts";
import { createAttempt, type Attempt } from "../attempt.ts";
import { useDashboard } from "../state/dashboard.ts";
import type { Outbox } from "../state/outbox.ts";
import { keptEdit, setKeptEdit, type KeptEdit } from "../state/kept-edit.ts";
import { endQueueEdit, queueEditFiles } from "../state/queue-edit.ts";
import { ComposerFiles, FileButton, filesIn } from "./composer-files.tsx";
import { filesWords } from "./files-words.ts";
import { hasKeyboard, isComposing } from "./keys.ts";

export function EditWaiting(props: { session: string; input: QueuedInput; change: Attempt }) {
  const { client } = useDashboard();
  const edit = () => keptEdit("queue", props.session);
  const text = () => edit()?.text ?? "";
  const files = queueEditFiles(props.session, client.uploadFile, props.input.attachments);
  const canSave = () => text().trim() !== "" && files.list.every(({ state }) => state !== "failed");
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
    if (!canSave() || props.change.isBusy()) return;
    await props.change.run(async () => {
      const up = await files.settled();
      const saved = edit();
      if (up === null || saved === null) return; // a file that can't go along says why
      const attachments = up.map(({ file }) => ({ file }));
      await client.patchInput(props.session, props.input.input, { text: saved.text.trim(), attachments });
      if (edit() === saved) endQueueEdit(props.session);
    });
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (isComposing(event)) return;
    event.stopPropagation();
    if (event.key === "Escape") {
      event.preventDefault();
      endQueueEdit(props.session);
    }
    if (event.key !== "Enter" || event.shiftKey || !hasKeyboard) return;
    event.preventDefault();
    void save();
  }

  /** Files go to what they were dropped on or pasted into, not to the composer of the pane around it. */
  function onFiles(event: Event, data: DataTransfer | null): void {
    const given = filesIn(data);
    if (given.length === 0) return;
    event.preventDefault();
    event.stopPropagation();
    files.add(given);
  }

  return (
    <div
      class="edit"
      onPaste={(event) => onFiles(event, event.clipboardData)}
      onDrop={(event) => onFiles(event, event.dataTransfer)}
    >
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
      <ComposerFiles files={files} label="Files of the waiting input" />
      <Show when={edit()?.position !== props.input.position}>
        <p class="note">It was changed elsewhere since you began: saving puts yours in its place.</p>
      </Show>
      <div class="buttons">
        <button class="go" type="button" disabled={!canSave()} onClick={() => void save()}>
          Save
        </button>
        <button type="button" onClick={() => endQueueEdit(props.session)}>
          Cancel
        </button>
        <FileButton add={(chosen) => files.add(chosen)} />
      </div>
    </div>
  );
}

/** The input is no longer in the queue, but words for it are still here. */
export function LeftEdit(props: { session: string; edit: KeptEdit; outbox: Outbox }) {
  const { client } = useDashboard();
  const files = queueEditFiles(props.session, client.uploadFile);
  const moving = createAttempt();
  const toComposer = () =>
    void moving.run(async () => {
      await files.settled();
      const { text } = props.outbox;
      const { text: words, files: kept = [] } = props.edit;
      props.outbox.setText(text.trim() === "" ? words : `${words}\n\n${text}`);
      props.outbox.files.putBack([...kept]);
      endQueueEdit(props.session);
    });
  return (
    <div class="held" role="status">
      <span>
        The input that you were changing no longer waits: the agent has taken it as it was, or it was removed.
        Your words{files.list.length > 0 ? ` (and ${filesWords(files.list.length)})` : ""}:{" "}
        <q>{props.edit.text}</q>
      </span>
      <button type="button" disabled={moving.isBusy()} onClick={toComposer}>
        Put them below
      </button>
      <button class="quiet" type="button" onClick={() => endQueueEdit(props.session)}>
        Discard
      </button>
    </div>
  );
}
