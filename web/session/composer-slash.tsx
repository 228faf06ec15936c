// The slash commands that what is typed may become, above the field: arrow keys choose, Tab completes, Enter takes it.
import { createEffect, createMemo, createSignal, For, on, Show } from "solid-js";
import { needsText, slashChoices, type SlashCommand } from "../../src/client/slash.ts";
import type { Outbox } from "../state/outbox.ts";

export type SlashPopup = {
  readonly choices: readonly SlashCommand[];
  readonly selected: number;
  /** For aria-activedescendant; undefined while it is closed. */
  readonly activeId: string | undefined;
  /** What the key has done to it: `run` when the text is now a command to be carried out. */
  onKey(key: string): "passed" | "taken" | "run";
  take(choice: SlashCommand): "taken" | "run";
};

export const SLASH_LIST_ID = "slash-commands";

export function createSlashPopup(outbox: () => Outbox): SlashPopup {
  const [selected, setSelected] = createSignal(0);
  /** The text at which it was closed by Escape. */
  const [closedAt, setClosedAt] = createSignal<string>();
  const choices = createMemo(() => {
    const { text } = outbox();
    return text === closedAt() ? [] : slashChoices(text);
  });
  createEffect(on(choices, () => setSelected(0), { defer: true }));

  const popup: SlashPopup = {
    get choices() {
      return choices();
    },
    get selected() {
      return selected();
    },
    get activeId() {
      const choice = choices()[selected()];
      return choice && optionId(choice);
    },
    onKey(key) {
      const choice = choices()[selected()];
      if (!choice) return "passed";
      const count = choices().length;
      switch (key) {
        case "ArrowDown":
          setSelected((n) => (n + 1) % count);
          return "taken";
        case "ArrowUp":
          setSelected((n) => (n - 1 + count) % count);
          return "taken";
        case "Tab":
          outbox().setText(`/${choice.name} `);
          return "taken";
        case "Escape":
          setClosedAt(outbox().text);
          return "taken";
        case "Enter":
          return popup.take(choice);
        default:
          return "passed";
      }
    },
    take(choice) {
      outbox().setText(needsText(choice) ? `/${choice.name} ` : `/${choice.name}`);
      return needsText(choice) ? "taken" : "run";
    },
  };
  return popup;
}

export function SlashList(props: { popup: SlashPopup; take: (choice: SlashCommand) => void }) {
  let list: HTMLUListElement | undefined;
  createEffect(() => {
    const id = props.popup.activeId;
    if (id !== undefined) list?.querySelector(`#${id}`)?.scrollIntoView({ block: "nearest" });
  });
  return (
    <Show when={props.popup.choices.length > 0}>
      <ul ref={list} class="slashes" role="listbox" id={SLASH_LIST_ID} aria-label="Commands">
        <For each={props.popup.choices}>
          {(choice, n) => (
            <li
              id={optionId(choice)}
              role="option"
              aria-selected={n() === props.popup.selected}
              // Before the field loses the focus to it.
              onMouseDown={(event) => {
                event.preventDefault();
                props.take(choice);
              }}
            >
              <code>
                /{choice.name} <span>{choice.args}</span>
              </code>
              <span class="note">{choice.about}</span>
            </li>
          )}
        </For>
      </ul>
    </Show>
  );
}

function optionId({ name }: SlashCommand): string {
  return `slash-${name}`;
}
