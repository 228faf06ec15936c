// A button that opens a short list of things to do. The browser's own popover: it lies above everything, closes on
// Escape or a click elsewhere, and gives the focus back.
import { createSignal, createUniqueId, For, Show, type JSX } from "solid-js";
import { Icon, type IconName } from "./icon.tsx";
import { placeBeside } from "./place-beside.ts";

export type MenuItem = {
  label: string;
  /** A second line in quieter words. */
  about?: string;
  icon?: IconName;
  isDangerous?: boolean;
  isDisabled?: boolean;
  run: () => void;
};

export function Menu(props: {
  /** What a screen reader calls the button. */
  label: string;
  button: JSX.Element;
  class?: string;
  tabindex?: number | undefined;
  items: readonly MenuItem[];
}) {
  const id = createUniqueId();
  /** A list of a thousand rows has a thousand menus, of which one at most is open. */
  const [isOpen, setOpen] = createSignal(false);
  let button!: HTMLButtonElement;
  let list!: HTMLDivElement;

  function onKeyDown(event: KeyboardEvent): void {
    const items = [...list.querySelectorAll<HTMLElement>("[role=menuitem]:not(:disabled)")];
    const at = items.findIndex((item) => item === document.activeElement);
    const next = nextItem(event.key, at, items.length);
    if (event.key === "Tab") list.hidePopover();
    if (next === undefined) return;
    event.preventDefault();
    items[next]?.focus();
  }

  return (
    <>
      <button
        ref={button}
        type="button"
        class={props.class}
        aria-label={props.label}
        title={props.label}
        aria-haspopup="menu"
        tabindex={props.tabindex}
        popovertarget={id}
      >
        {props.button}
      </button>
      <div
        ref={list}
        id={id}
        class="menu"
        role="menu"
        aria-label={props.label}
        popover
        onBeforeToggle={(event) => {
          if (event.newState === "open") setOpen(true);
        }}
        onToggle={(event) => {
          // Not before: what has the focus must still be there for the browser to give it back.
          if (event.newState !== "open") {
            setOpen(false);
            return;
          }
          placeBeside(list, button);
          list.querySelector<HTMLElement>("[role=menuitem]:not(:disabled)")?.focus();
        }}
        onKeyDown={onKeyDown}
      >
        <For each={isOpen() ? props.items : []}>
          {(item) => (
            <button
              type="button"
              role="menuitem"
              tabindex="-1"
              classList={{ dangerous: item.isDangerous }}
              disabled={item.isDisabled}
              onClick={() => {
                list.hidePopover();
                item.run();
              }}
            >
              <Show when={item.icon}>{(name) => <Icon name={name()} />}</Show>
              <span>
                {item.label}
                <Show when={item.about}>
                  <small>{item.about}</small>
                </Show>
              </span>
            </button>
          )}
        </For>
      </div>
    </>
  );
}

function nextItem(key: string, at: number, count: number): number | undefined {
  switch (key) {
    case "ArrowDown":
      return (at + 1) % count;
    case "ArrowUp":
      return (at - 1 + count) % count;
    case "Home":
      return 0;
    case "End":
      return count - 1;
    default:
      return undefined;
  }
}
