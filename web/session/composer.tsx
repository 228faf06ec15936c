// Enter sends, Shift+Enter breaks the line; an input method's own Enter does neither. Escape twice stops the turn.
import { createEffect, createSignal, onCleanup, onMount, Show, type JSX } from "solid-js";
import { INPUT_MAX_CHARS } from "../../src/protocol/limits.ts";
import type { SlashCommand } from "../../src/client/slash.ts";
import type { Outbox, Way } from "../state/outbox.ts";
import { ComposerFiles, FileButton, filesIn } from "./composer-files.tsx";
import { createSlashPopup, SLASH_LIST_ID, SlashList } from "./composer-slash.tsx";
import type { TypedCommands } from "./commands.ts";
import { SendButton, WayChoice } from "./composer-send.tsx";
import type { Enter } from "./enter.ts";
import { hasKeyboard, isComposing, MOD_ENTER } from "./keys.ts";

export type ComposerProps = {
  outbox: Outbox;
  enter: Enter;
  hasFocus?: boolean;
  /** While a turn runs. */
  stop?: { isAsked: boolean; run: () => void } | undefined;
  commands: TypedCommands;
  /** What stands between the file button and the send button. */
  bar?: JSX.Element;
};

/** The focus went with the page of the last composer: the next one takes it, so that whoever writes can go on. */
let wasWithin = false;

export function Composer(props: ComposerProps) {
  let field!: HTMLTextAreaElement;
  const [isArmed, setArmed] = createSignal(false);
  const isBlank = () => props.outbox.text.trim() === "";
  const popup = createSlashPopup(() => props.outbox);

  onMount(() => {
    const isLeft = wasWithin && document.activeElement === document.body;
    if ((props.hasFocus || isLeft) && hasKeyboard) field.focus();
    wasWithin = false;
  });
  onCleanup(() => (wasWithin = field.closest("main")?.contains(document.activeElement) ?? false));
  createEffect(() => grow(field, props.outbox.text));

  function send(way: Way): void {
    setArmed(false);
    const text = props.commands.take();
    if (text !== undefined) props.outbox.send(text, way, props.enter.answers);
    field.focus();
  }

  function takeChoice(choice: SlashCommand): void {
    if (popup.take(choice) === "run") send(props.enter.way);
    field.focus();
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (isComposing(event)) return;
    const isPlain = !event.shiftKey && !event.altKey && !event.metaKey && !event.ctrlKey;
    const did = isPlain ? popup.onKey(event.key) : "passed";
    if (did !== "passed") event.preventDefault();
    if (did === "run") send(props.enter.way);
    if (did !== "passed") return;
    if (event.key === "Escape") return onEscape(event);
    setArmed(false);
    if (event.key !== "Enter") return;
    const isOther = event.metaKey || event.ctrlKey;
    if (event.shiftKey || event.altKey || (!hasKeyboard && !isOther)) return;
    event.preventDefault();
    send(isOther ? (props.enter.other?.way ?? props.enter.way) : props.enter.way);
  }

  function onEscape(event: KeyboardEvent): void {
    if (!props.stop || props.stop.isAsked) return;
    event.preventDefault();
    if (event.repeat) return; // held, it was pressed once
    if (isArmed()) props.stop.run();
    setArmed(!isArmed());
  }

  return (
    <form
      class="box"
      onSubmit={(event) => {
        event.preventDefault();
        send(props.enter.way);
      }}
      onPaste={(event) => {
        const files = filesIn(event.clipboardData);
        if (files.length === 0) return;
        event.preventDefault();
        props.outbox.files.add(files);
      }}
    >
      <Show when={props.commands.fault()}>
        <p class="failure" role="alert">
          {props.commands.fault()}
        </p>
      </Show>
      <Notes outbox={props.outbox} retry={() => props.outbox.retry() || send(props.enter.way)} />
      <Show when={props.enter.isPast && !isBlank()}>
        <p class="note aside past" role="status">
          <span>
            {props.enter.isLate
              ? "The question that you began to write for is closed, and Enter answers no other."
              : "A question came after you began to write, so Enter does not answer it."}
          </span>
          <button
            type="button"
            onClick={() => {
              props.outbox.beginAnew();
              field.focus();
            }}
          >
            Answer with this
          </button>
        </p>
      </Show>
      <SlashList popup={popup} take={takeChoice} />
      <ComposerFiles files={props.outbox.files} />
      <textarea
        ref={field}
        aria-label="Message"
        rows={1}
        maxlength={INPUT_MAX_CHARS}
        placeholder={placeholder(props.enter, props.outbox.files.list.length > 0)}
        aria-autocomplete="list"
        aria-controls={popup.activeId === undefined ? undefined : SLASH_LIST_ID}
        aria-activedescendant={popup.activeId}
        enterkeyhint={hasKeyboard ? "send" : "enter"}
        value={props.outbox.text}
        onInput={(event) => {
          props.commands.forget();
          props.outbox.setText(event.currentTarget.value);
        }}
        onKeyDown={onKeyDown}
        onBlur={() => setArmed(false)}
      />
      <div class="bar">
        <FileButton add={(files) => props.outbox.files.add(files)} />
        {props.bar}
        <span class="grow" />
        <span class="armed" role="status">
          {isArmed() ? "Escape again stops the turn" : ""}
        </span>
        <Show when={props.enter.other}>
          <WayChoice outbox={props.outbox} />
        </Show>
        <SendButton
          enter={props.enter}
          isBlank={isBlank()}
          stop={isBlank() && props.outbox.files.list.length === 0 ? props.stop : undefined}
          send={send}
        />
      </div>
    </form>
  );
}

function Notes(props: { outbox: Outbox; retry: () => void }) {
  return (
    <>
      <Show when={props.outbox.failure}>
        <p class="failure" role="alert">
          <span>Not sent: {props.outbox.failure} Your text is back below.</span>
          <button type="button" onClick={() => props.retry()}>
            Retry
          </button>
        </p>
      </Show>
      <Show when={props.outbox.isFromOtherTab}>
        <p class="note aside">As typed in another tab.</p>
      </Show>
      <Show when={!props.outbox.isKept}>
        <p class="failure">
          This browser has no room left to keep your text: send it, or copy it, before you leave.
        </p>
      </Show>
    </>
  );
}

function placeholder({ does, other }: Enter, hasFiles: boolean): string {
  if (hasFiles) return "Say what to do with it";
  if (!hasKeyboard)
    return does === "sends it" ? "Write a message" : does.charAt(0).toUpperCase() + does.slice(1);
  return other === null ? `Enter ${does}` : `Enter ${does}. ${MOD_ENTER} ${other.does}`;
}

/** Most browsers size the field by its content themselves. */
function grow(field: HTMLTextAreaElement, _text: string): void {
  if (CSS.supports("field-sizing", "content")) return;
  field.style.height = "auto";
  field.style.height = `${field.scrollHeight}px`;
}
