// The files that go with an input, wherever it is shown: each opens in a tab of its own.
import { Index } from "solid-js";
import type { Attachment } from "../../src/session/event.ts";
import { Icon } from "../icon.tsx";
import { megabytes } from "../state/attached-files.ts";

export function InputFiles(props: {
  files: readonly Attachment[];
  /** Whether Tab comes by here. */
  isReached?: boolean;
}) {
  return (
    <ul class="input-files" aria-label="Files">
      <Index each={props.files}>
        {(file) => (
          <li>
            <FileLink file={file()} isReached={props.isReached} />
          </li>
        )}
      </Index>
    </ul>
  );
}

export function FileLink(props: { file: Attachment; isReached?: boolean | undefined }) {
  return (
    <>
      <Icon name="file" />
      <a
        href={`/api/files/${encodeURIComponent(props.file.file)}`}
        target="_blank"
        rel="noopener"
        title={props.file.name}
        tabindex={props.isReached === false ? -1 : undefined}
      >
        {props.file.name}
      </a>
      <span class="note">{megabytes(props.file.bytes)}</span>
    </>
  );
}
