// Files that go with a message: added by a button, by paste or by drop; each says how far it is, and can be taken out.
import { For, Show } from "solid-js";
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
          <For each={props.files.list}>{(file) => <Chip file={file} files={props.files} />}</For>
        </ul>
      </Show>
    </>
  );
}

function Chip(props: { file: AttachedFile; files: AttachedFiles }) {
  return (
    <li data-state={props.file.state}>
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
