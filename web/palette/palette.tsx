// The command palette: one field that jumps to a session, runs a command, or finds what was said.
import { createEffect, Match, on, onCleanup, onMount, Show, Switch } from "solid-js";
import { failureWords } from "../failure-words.ts";
import { fittingCommands } from "./commands.ts";
import { fits } from "./keys.ts";
import { askedPalette, closePalette, openPaletteWithFailure } from "./open.ts";
import { PaletteQuestion } from "./question.tsx";
import { PaletteSearch } from "./search.tsx";

export function Palette() {
  let dialog!: HTMLDialogElement;
  onMount(() => document.addEventListener("keydown", onKey));
  onCleanup(() => document.removeEventListener("keydown", onKey));
  createEffect(
    on(
      () => askedPalette() !== undefined,
      (isAsked) => {
        if (isAsked) dialog.showModal();
        else if (dialog.open) dialog.close();
      },
    ),
  );
  const question = () => {
    const asked = askedPalette();
    return asked && "question" in asked ? asked.question : undefined;
  };
  const search = () => {
    const asked = askedPalette();
    return asked && "query" in asked ? asked : undefined;
  };
  return (
    <dialog
      ref={dialog}
      class="palette"
      aria-label="Command palette"
      onClose={() => {
        if (dialog.open) return; // told late: it was opened again meanwhile
        closePalette();
        // What had the focus may be gone with its page.
        if (document.activeElement === document.body) document.getElementById("main")?.focus();
      }}
      onClick={(event) => {
        if (event.target === dialog) closePalette(); // beside it
      }}
    >
      <Show when={askedPalette()}>
        <Switch>
          <Match when={question()} keyed>
            {(asked) => <PaletteQuestion question={asked} />}
          </Match>
          <Match when={search()} keyed>
            {(asked) => <PaletteSearch query={asked.query} failure={asked.failure} />}
          </Match>
        </Switch>
      </Show>
    </dialog>
  );
}

function onKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.repeat || event.isComposing) return;
  if (askedPalette() && fits("mod+k", event)) {
    event.preventDefault();
    return closePalette();
  }
  const command = fittingCommands().find(({ keys }) => keys !== undefined && fits(keys, event));
  // Whoever has another dialog open is asked something first.
  if (!command || document.querySelector("dialog:modal")) return;
  event.preventDefault();
  void runByKeys(command.run);
}

async function runByKeys(run: () => void | Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    openPaletteWithFailure(failureWords(error));
  }
}
