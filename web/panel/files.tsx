// The files that were sent along, as far as the page goes back.
import { createMemo, For, Show } from "solid-js";
import type { View } from "../../src/session/view.ts";
import { Icon } from "../icon.tsx";
import { megabytes } from "../state/attached-files.ts";
import type { Followed } from "../state/followed.ts";

export function Files(props: { followed: Followed; view: View }) {
  const files = createMemo(() => {
    const sent = props.followed.session.messages.flatMap((message) =>
      message.kind === "input" ? message.attachments : [],
    );
    const queued = props.view.queue.flatMap(({ attachments }) => attachments);
    return [...new Map([...sent, ...queued].map((file) => [file.file, file])).values()];
  });
  return (
    <Show when={files().length > 0}>
      <section aria-label="Files">
        <h3>Files</h3>
        <ul>
          <For each={files()}>
            {(file) => (
              <li class="file">
                <Icon name="file" />
                <a href={`/api/files/${encodeURIComponent(file.file)}`} target="_blank" rel="noopener">
                  {file.name}
                </a>
                <span class="note">{megabytes(file.bytes)}</span>
              </li>
            )}
          </For>
        </ul>
      </section>
    </Show>
  );
}
