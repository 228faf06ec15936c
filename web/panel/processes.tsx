// What the session has started: what runs first, then what has ended.
import { createMemo, For, Show } from "solid-js";
import type { View } from "../../src/session/view.ts";
import { useDashboard } from "../state/dashboard.ts";
import { createSessionProcesses } from "../state/session-processes.ts";
import { ProcessRow } from "./process-row.tsx";

export function Processes(props: { session: string; view: View }) {
  const { client, processes: socket } = useDashboard();
  const processes = createSessionProcesses(props.session, client, socket);
  const running = createMemo(() => processes.items.filter(({ status }) => status === "running"));
  const ended = createMemo(() => processes.items.filter(({ status }) => status !== "running"));
  return (
    <section aria-label="Processes">
      <h3>
        Processes
        <Show when={running().length > 0}>
          <span class="tag good">{running().length} running</span>
        </Show>
      </h3>
      <Show when={processes.failure()}>
        <p class="failure" role="alert">
          {processes.failure()}
        </p>
      </Show>
      <Show when={processes.isHere()} fallback={<p class="note">Loading…</p>}>
        <Show when={running().length > 0} fallback={<p class="note">Nothing runs.</p>}>
          <ul>
            <For each={running()}>
              {(process) => <ProcessRow session={props.session} process={process} view={props.view} />}
            </For>
          </ul>
        </Show>
        <Show when={ended().length > 0}>
          <details class="ended">
            <summary>
              {ended().length} ended{processes.hasMore() ? ", and older ones" : ""}
            </summary>
            <ul>
              <For each={ended()}>
                {(process) => <ProcessRow session={props.session} process={process} view={props.view} />}
              </For>
            </ul>
          </details>
        </Show>
      </Show>
    </section>
  );
}
