// One input that waits: what it says, what it waits for, and what can be done about it.
import { createEffect, For, on, onCleanup, Show } from "solid-js";
import type { InputPatch } from "../../src/client/commands.ts";
import { textOf } from "../../src/session/parts.ts";
import type { QueuedInput, View } from "../../src/session/view.ts";
import { createAttempt } from "../attempt.ts";
import { Icon, type IconName } from "../icon.tsx";
import { isNarrow } from "../media.ts";
import { Menu } from "../menu.tsx";
import { useDashboard } from "../state/dashboard.ts";
import { keptEdit } from "../state/kept-edit.ts";
import { beginQueueEdit } from "../state/queue-edit.ts";
import { InputFiles } from "./input-files.tsx";
import { hasKeyboard } from "./keys.ts";
import type { Drag } from "./waiting-drag.ts";
import { EditWaiting } from "./waiting-edit.tsx";
import { queueFailureWords } from "./queue-failure.ts";
import { wholeText } from "./whole-text.ts";

type Action = { label: string; icon?: IconName; keys?: string; isDisabled?: boolean; run: () => void };

/** Who reads by ear is told which it is; all of it follows within. */
const NAME_CHARS = 120;

export function WaitingRow(props: {
  session: string;
  view: View;
  input: QueuedInput;
  place: number;
  /** Whether Tab comes by here. */
  isReached: boolean;
  reach: () => void;
  /** It goes, and the focus with it. */
  leave: () => void;
  drag: Drag;
}) {
  let row!: HTMLLIElement;
  onCleanup(() => {
    if (row.contains(document.activeElement)) props.leave();
  });
  const { client } = useDashboard();
  const change = createAttempt(queueFailureWords);
  const isEdited = () => keptEdit("queue", props.session)?.input === props.input.input;

  const patch = (to: InputPatch) =>
    void change.run(() => client.patchInput(props.session, props.input.input, to));
  const beginEdit = () =>
    void change.run(async () => {
      const text = await wholeText(client, props.input.text);
      const { input, attachments, position } = props.input;
      beginQueueEdit(props.session, { input, text, files: [...attachments], position });
    });
  /** The name of what had the focus when the row was moved: a browser drops the focus of what moves. */
  let focused: string | null | undefined;
  /** By as many places, if there are so many. */
  const move = async (by: -1 | 1) => {
    const { queue } = props.view;
    const before = by === -1 ? queue[props.place - 1] : queue[props.place + 2];
    if (!queue[props.place + by]) return;
    focused = row.contains(document.activeElement) ? document.activeElement?.ariaLabel : undefined;
    const to = { before: before?.input ?? null };
    const isMoved = await change.run(() => client.patchInput(props.session, props.input.input, to));
    if (!isMoved) focused = undefined;
  };
  createEffect(
    on(
      () => props.place,
      () => {
        const name = focused;
        focused = undefined;
        const { activeElement, body } = document;
        if (name === undefined || (activeElement !== body && !row.contains(activeElement))) return;
        const buttons = [...row.querySelectorAll<HTMLElement>("button:not(:disabled)")];
        (buttons.find(({ ariaLabel }) => ariaLabel === name) ?? row).focus();
      },
      { defer: true },
    ),
  );
  const remove = () => void change.run(() => client.withdrawInput(props.session, props.input.input));

  const actions = (): Action[] => [
    { label: "Edit", icon: "pencil", keys: "Enter", run: beginEdit },
    {
      label: "Move up",
      icon: "chevronUp",
      keys: "Alt+ArrowUp",
      isDisabled: props.place === 0,
      run: () => void move(-1),
    },
    {
      label: "Move down",
      icon: "chevronDown",
      keys: "Alt+ArrowDown",
      isDisabled: props.place === props.view.queue.length - 1,
      run: () => void move(1),
    },
    ...(props.view.turn === null
      ? []
      : props.input.kind === "steer"
        ? [{ label: "Queue instead", run: () => patch({ kind: "prompt" as const }) }]
        : [{ label: "Steer now", run: () => patch({ kind: "steer" as const }) }]),
    { label: "Remove", icon: "trash", keys: "Delete", run: remove },
  ];

  function onKeyDown(event: KeyboardEvent): void {
    // On a button of the row Enter and Delete are the button's, or nobody's; where it is written in, all keys are.
    const isWithin = event.target !== event.currentTarget;
    if (event.defaultPrevented || (isWithin && (!event.altKey || isEdited()))) return;
    const keys = `${event.altKey ? "Alt+" : ""}${event.key}`;
    const action = actions().find((each) => each.keys === keys && each.isDisabled !== true);
    if (!action) return;
    event.preventDefault();
    action.run();
  }

  return (
    <li
      ref={row}
      data-input={props.input.input}
      data-way={wayOf(props.input)}
      tabindex={props.isReached ? 0 : -1}
      aria-label={`${textOf(props.input.text).slice(0, NAME_CHARS)}, ${whatItWaitsFor(props.input, props.view)}`}
      aria-busy={change.isBusy()}
      draggable={hasKeyboard && !isEdited() && props.view.queue.length > 1}
      data-drop={props.drag.sideOf(props.input.input)}
      onDragStart={(event) => props.drag.begin(props.input.input, event)}
      onDragOver={(event) => props.drag.over(props.input.input, event)}
      onDragEnd={(event) => {
        const before = props.drag.end(event);
        if (before !== undefined) patch({ before });
      }}
      onKeyDown={onKeyDown}
      onFocusIn={() => props.reach()}
    >
      <Show
        when={!isEdited()}
        fallback={<EditWaiting session={props.session} input={props.input} change={change} />}
      >
        <span class="text" title={textOf(props.input.text)}>
          {textOf(props.input.text)}
        </span>
        <Show when={props.input.attachments.length > 0}>
          <InputFiles files={props.input.attachments} isReached={props.isReached} />
        </Show>
        <span class="note">{whatItWaitsFor(props.input, props.view)}</span>
        <Actions actions={actions()} isReached={props.isReached} />
      </Show>
      <Show when={change.failure()}>
        <p class="failure" role="alert">
          {change.failure()}
        </p>
      </Show>
    </li>
  );
}

function Actions(props: { actions: readonly Action[]; isReached: boolean }) {
  return (
    <span class="actions">
      <Show
        when={!isNarrow()}
        fallback={
          <Menu class="quiet" label="Change this input" button={<Icon name="menu" />} items={props.actions} />
        }
      >
        <For each={props.actions}>
          {(action) => (
            <button
              class="quiet"
              type="button"
              tabindex={props.isReached ? 0 : -1}
              aria-label={action.label}
              title={action.keys === undefined ? action.label : `${action.label} (${action.keys})`}
              disabled={action.isDisabled}
              onClick={() => action.run()}
            >
              <Show when={action.icon} fallback={action.label}>
                {(icon) => <Icon name={icon()} />}
              </Show>
            </button>
          )}
        </For>
      </Show>
    </span>
  );
}

function wayOf(input: QueuedInput): "steer" | "now" | "queue" {
  return input.kind === "steer" ? "steer" : input.delivery;
}

function whatItWaitsFor(input: QueuedInput, view: View): string {
  const whose = input.delegate ? "a delegate's result, " : "";
  return whose + whenItGoes(input, view);
}

function whenItGoes(input: QueuedInput, view: View): string {
  if (view.held) return "held";
  const isAsked = view.asks.some(({ kind, position }) => kind === "clarify" && position < input.position);
  if (isAsked)
    return input.kind === "steer"
      ? "steers once the question is answered"
      : "waits: the question is still open";
  if (input.kind === "steer") return "steers at the next step";
  return input.delivery === "now" ? "goes first, at once" : "waiting for its turn";
}
