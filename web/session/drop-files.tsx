// Files dropped anywhere on the session go to its composer.
import { createSignal, Show, type JSX } from "solid-js";
import { filesIn } from "./composer-files.tsx";

export function DropFiles(props: { class: string; add: (files: File[]) => void; children: JSX.Element }) {
  /** Entering a child comes before leaving its parent, so only the count tells when the pointer is out. */
  const [depth, setDepth] = createSignal(0);
  const carriesFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
  return (
    <div
      class={props.class}
      onDragEnter={(event) => {
        if (carriesFiles(event)) setDepth((n) => n + 1);
      }}
      onDragLeave={() => setDepth((n) => Math.max(0, n - 1))}
      onDragOver={(event) => {
        if (carriesFiles(event)) event.preventDefault();
      }}
      on:drop={{ handleEvent: () => setDepth(0), capture: true }} // also of what a part within takes for itself
      onDrop={(event) => {
        if (!carriesFiles(event)) return;
        event.preventDefault();
        props.add(filesIn(event.dataTransfer));
      }}
    >
      {props.children}
      <Show when={depth() > 0}>
        <p class="drop" aria-hidden="true">
          Drop files to attach them
        </p>
      </Show>
    </div>
  );
}
