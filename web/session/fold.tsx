// Something that opens: what is in it is made when it is opened, and stays open through whatever happens to its row.
import { Show, type JSX } from "solid-js";
import { createOpen } from "./open-rows.ts";

export function Fold(props: {
  /** Unique within the session. */
  name: string;
  class?: string;
  part?: string;
  summary: JSX.Element;
  /** In place of its content while it is closed: nothing that is seen. */
  closed?: JSX.Element;
  children: JSX.Element;
}) {
  const [isOpen, setOpen] = createOpen(() => props.name);
  return (
    <details
      class={props.class}
      data-part={props.part}
      open={isOpen()}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>{props.summary}</summary>
      <Show when={isOpen()} fallback={props.closed}>
        {props.children}
      </Show>
    </details>
  );
}
