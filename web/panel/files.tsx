// The files that were sent along, as far as the page goes back.
import { createMemo, For, Show } from "solid-js";
import type { View } from "../../src/session/view.ts";
import { FileLink } from "../session/input-files.tsx";
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
                <FileLink file={file} />
              </li>
            )}
          </For>
        </ul>
      </section>
    </Show>
  );
}
