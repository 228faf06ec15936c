// A question before something that can't be undone. The browser's own dialog: Escape says no, and all else is out of reach.
import { createEffect, createSignal, Show } from "solid-js";

export type Confirmation = {
  title: string;
  text: string;
  /** The word on the button that does it. */
  verb: string;
  run: () => void;
};

const [asked, setAsked] = createSignal<Confirmation>();

export function confirmFirst(confirmation: Confirmation): void {
  setAsked(confirmation);
}

export function ConfirmDialog() {
  let dialog!: HTMLDialogElement;
  createEffect(() => {
    if (asked()) dialog.showModal();
    else if (dialog.open) dialog.close();
  });
  return (
    <dialog ref={dialog} class="confirm" aria-labelledby="confirm-title" onClose={() => setAsked(undefined)}>
      <Show when={asked()} keyed>
        {(confirmation) => (
          <>
            <h2 id="confirm-title">{confirmation.title}</h2>
            <p>{confirmation.text}</p>
            <div class="acts">
              <button type="button" autofocus onClick={() => setAsked(undefined)}>
                Cancel
              </button>
              <button
                class="dangerous"
                type="button"
                onClick={() => {
                  setAsked(undefined);
                  confirmation.run();
                }}
              >
                {confirmation.verb}
              </button>
            </div>
          </>
        )}
      </Show>
    </dialog>
  );
}
