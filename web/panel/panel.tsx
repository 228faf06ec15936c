// All about a session that is not said in it: what it runs, whom it gave work to, what it used, where it comes from. It
// stands beside the session, or over it where there is no room.
import { createEffect, onCleanup, onMount, Show } from "solid-js";
import type { View } from "../../src/session/view.ts";
import { Icon } from "../icon.tsx";
import type { Followed } from "../state/followed.ts";
import { Delegates } from "./delegates.tsx";
import { Facts } from "./facts.tsx";
import { Files } from "./files.tsx";
import { closePanel, isPanelOpen, isSheet } from "./open.ts";
import { Processes } from "./processes.tsx";
import { Used } from "./used.tsx";

type PanelProps = { followed: Followed; view: View };

export function SidePanel(props: PanelProps) {
  return (
    <Show when={isPanelOpen()}>
      <Show
        when={isSheet()}
        fallback={
          <aside class="panel" aria-label="About this session">
            <Sections {...props} />
          </aside>
        }
      >
        <Sheet {...props} />
      </Show>
    </Show>
  );
}

/** A dialog, so that the focus stays within it and Escape closes it. */
function Sheet(props: PanelProps) {
  let dialog!: HTMLDialogElement;
  onMount(() => dialog.showModal());
  onCleanup(() => dialog.close());
  return (
    <dialog
      ref={dialog}
      class="panel sheet"
      aria-label="About this session"
      onCancel={(event) => {
        event.preventDefault(); // the history closes it
        closePanel();
      }}
      onClick={(event) => {
        if (event.target === dialog) closePanel();
      }}
    >
      <div class="inside">
        <Sections {...props} />
      </div>
    </dialog>
  );
}

function Sections(props: PanelProps) {
  let close!: HTMLButtonElement;
  createEffect(() => {
    if (isSheet()) close.focus();
  });
  return (
    <>
      <header>
        <h2>About this session</h2>
        <button
          ref={close}
          class="quiet sign"
          type="button"
          aria-label="Close"
          title="Close"
          onClick={() => closePanel()}
        >
          <Icon name="close" />
        </button>
      </header>
      <Processes session={props.followed.id} view={props.view} />
      <Delegates followed={props.followed} view={props.view} />
      <Used followed={props.followed} view={props.view} />
      <Files followed={props.followed} view={props.view} />
      <Facts session={props.followed.id} view={props.view} />
    </>
  );
}
