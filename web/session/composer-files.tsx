// Files that go with a message: added by a button, by paste or by drop; each says how far it is, and can be taken out.
import { For, onCleanup, Show } from "solid-js";
import { Icon } from "../icon.tsx";
import { megabytes, type AttachedFile, type AttachedFiles } from "../state/attached-files.ts";

export function ComposerFiles(props: { files: AttachedFiles; label?: string }) {
  return (
    <>
      <Show when={props.files.refused}>
        <p class="failure" role="alert">
          {props.files.refused}
        </p>
      </Show>
      <Show when={props.files.list.length > 0}>
        <ul class="attached" aria-label={props.label ?? "Attached files"}>
          <For each={props.files.list}>
            {(file, n) => <Chip file={file} files={props.files} leave={(chip) => handOn(chip, n())} />}
          </For>
        </ul>
      </Show>
    </>
  );
}

/** From a file that is taken out: to the one in its place, or else to the text that it was to go with. */
function handOn(chip: HTMLElement, place: number): void {
  const list = chip.parentElement;
  const field = chip.closest("form, .edit")?.querySelector("textarea");
  queueMicrotask(() => {
    // The last one takes the list along.
    const ways = list?.isConnected ? [...list.querySelectorAll<HTMLElement>("li > .quiet")] : [];
    (ways[Math.min(place, ways.length - 1)] ?? field)?.focus();
  });
}

function Chip(props: {
  file: AttachedFile;
  files: AttachedFiles;
  /** It goes, and the focus with it. */
  leave: (chip: HTMLElement) => void;
}) {
  let chip!: HTMLLIElement;
  onCleanup(() => {
    if (chip.contains(document.activeElement)) props.leave(chip);
  });
  return (
    <li ref={chip} data-state={props.file.state}>
      <Icon name={props.file.state === "failed" ? "warning" : "file"} />
      <span class="name" title={props.file.name}>
        {props.file.name}
      </span>
      <span class="note" role={props.file.state === "failed" ? "alert" : undefined}>
        {stateWords(props.file)}
      </span>
      <Show when={props.file.state === "uploading"}>
        <progress value={props.file.share} aria-label={`Uploading ${props.file.name}`} />
      </Show>
      <Show when={props.file.state === "failed" && props.file.canRetry}>
        <button type="button" onClick={() => props.files.retry(props.file.id)}>
          Retry
        </button>
      </Show>
      <button
        class="quiet"
        type="button"
        aria-label={`Remove ${props.file.name}`}
        title="Remove"
        onClick={() => props.files.remove(props.file.id)}
      >
        <Icon name="close" />
      </button>
    </li>
  );
}

function stateWords({ state, bytes, why, share }: AttachedFile): string {
  if (state === "failed") return why ?? "failed";
  if (state === "uploading") return share === 0 ? "uploading…" : `uploading, ${Math.floor(share * 100)} %`;
  return bytes === null ? "" : megabytes(bytes);
}

export function FileButton(props: { add: (files: File[]) => void }) {
  let picker!: HTMLInputElement;
  return (
    <>
      <button
        class="quiet attach"
        type="button"
        aria-label="Attach files"
        title="Attach files"
        onClick={() => picker.click()}
      >
        <Icon name="paperclip" />
      </button>
      <input
        ref={picker}
        class="unseen"
        type="file"
        multiple
        tabindex="-1"
        aria-hidden="true"
        onChange={() => {
          props.add([...(picker.files ?? [])]);
          picker.value = ""; // so that the same file can be chosen again
        }}
      />
    </>
  );
}

export function filesIn(data: DataTransfer | null): File[] {
  return [...(data?.files ?? [])];
}
