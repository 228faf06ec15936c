// All keyboard shortcuts on one sheet: those of commands, and those that belong to a place on the page.
import { createEffect, createSignal, For } from "solid-js";
import { knownCommands } from "./commands.ts";
import { keyWords } from "./keys.ts";

const [isOpen, setOpen] = createSignal(false);

export function openShortcuts(): void {
  setOpen(true);
}

const IN_THE_COMPOSER = [
  { title: "Send, or queue while a turn runs", keys: "Enter" },
  { title: "The other way: steer or queue", keys: keyWords("mod+Enter") },
  { title: "Break the line", keys: "Shift+Enter" },
  { title: "Stop the turn", keys: "Esc Esc" },
  { title: "Commands by name", keys: "/" },
];

const ON_AN_ASK = [
  { title: "Choose by its number", keys: "1 – 9" },
  { title: "Allow once", keys: "Y" },
  { title: "Deny", keys: "N" },
];

export function Shortcuts() {
  let dialog!: HTMLDialogElement;
  createEffect(() => {
    if (isOpen()) dialog.showModal();
  });
  const everywhere = () =>
    knownCommands().flatMap(({ title, keys }) =>
      keys === undefined ? [] : [{ title, keys: keyWords(keys) }],
    );
  return (
    <dialog
      ref={dialog}
      class="shortcuts"
      aria-labelledby="shortcuts-title"
      onClose={() => setOpen(false)}
      onClick={(event) => {
        if (event.target === dialog) dialog.close(); // beside it
      }}
    >
      <div class="all-keys">
        {/* With the focus, or the button below it would scroll the list to its end. */}
        <h2 id="shortcuts-title" tabindex="-1" autofocus>
          Keyboard shortcuts
        </h2>
        <Keys name="Everywhere" keys={everywhere()} />
        <Keys name="In the composer" keys={IN_THE_COMPOSER} />
        <Keys name="On an ask that has the focus" keys={ON_AN_ASK} />
        <form method="dialog">
          <button type="submit">Close</button>
        </form>
      </div>
    </dialog>
  );
}

function Keys(props: { name: string; keys: readonly { title: string; keys: string }[] }) {
  return (
    <section>
      <h3>{props.name}</h3>
      <dl>
        <For each={props.keys}>
          {({ title, keys }) => (
            <div>
              <dt>{title}</dt>
              <dd>
                <kbd>{keys}</kbd>
              </dd>
            </div>
          )}
        </For>
      </dl>
    </section>
  );
}
