// What can be done about an input that was taken: say it otherwise, have its answer anew, go back to before it, copy it. Each
// that changes the past goes on in a successor; the session as it was stays at its own link, one Back away.
import { createSignal, onMount, Show } from "solid-js";
import type { SessionRow } from "../../src/client/commands.ts";
import { INPUT_MAX_CHARS } from "../../src/protocol/limits.ts";
import type { Message } from "../../src/session/view.ts";
import { sessionPath } from "../address.ts";
import { createAttempt } from "../attempt.ts";
import { copyText } from "../copy.ts";
import { Icon } from "../icon.tsx";
import { Menu, type MenuItem } from "../menu.tsx";
import { navigate } from "../route.ts";
import { useDashboard } from "../state/dashboard.ts";
import { keptEdit, setKeptEdit } from "../state/kept-edit.ts";
import { isDelegateResult } from "./is-delegate-result.ts";
import { hasKeyboard, isComposing } from "./keys.ts";
import { useSession } from "./session-context.ts";
import { wholeText } from "./whole-text.ts";

type InputMessage = Extract<Message, { kind: "input" }>;

export function InputActions(props: { input: InputMessage }) {
  const { client } = useDashboard();
  const followed = useSession();
  const [isCopied, setCopied] = createSignal<boolean>();
  const change = createAttempt();
  let actions!: HTMLDivElement;
  const view = () => followed.session.view;
  const edit = () => {
    const kept = keptEdit("transcript", followed.id);
    return kept?.input === props.input.id ? kept : undefined;
  };
  const setEdit = (text: string | null) => {
    const { id: input, position } = props.input;
    setKeptEdit("transcript", followed.id, text === null ? null : { input, text, position });
  };
  const isLast = () => {
    const last = view()?.messages.findLast(({ kind }) => kind === "input");
    return last?.id === props.input.id;
  };
  /** The past can be changed only while nothing is being added to it. */
  const isFixed = () => view()?.turn !== null || view()?.ended !== null;

  const goOn = (successor: () => Promise<SessionRow>) =>
    change.run(async () => navigate(sessionPath((await successor()).id)));
  const resend = async (text: string) => {
    if (await goOn(() => client.resendInput(followed.id, props.input.id, { text: text.trim() })))
      setEdit(null);
  };
  const copy = () =>
    void change.run(async () => {
      setCopied(await copyText(await wholeText(client, props.input.text)));
    });
  const items = (): MenuItem[] => [
    { label: "Copy", icon: "copy", run: copy },
    ...(isFixed() || isDelegateResult(props.input)
      ? []
      : [
          {
            label: "Edit and send again",
            about: "Goes on from here in a new session",
            icon: "pencil" as const,
            run: () => void change.run(async () => setEdit(await wholeText(client, props.input.text))),
          },
        ]),
    ...(isFixed() || !isLast()
      ? []
      : [
          {
            label: "Have the answer anew",
            icon: "retry" as const,
            run: () => void goOn(() => client.regenerate(followed.id)),
          },
          {
            label: "Go back to before it",
            icon: "undo" as const,
            run: () => void goOn(() => client.undo(followed.id)),
          },
        ]),
  ];

  return (
    <>
      <div ref={actions} class="input-actions">
        <span class="note" role="status">
          {isCopied() === undefined ? "" : isCopied() ? "Copied" : "This browser does not let the page copy"}
        </span>
        <Menu
          class="quiet"
          label="What to do with this input"
          button={<Icon name="menu" />}
          items={items()}
        />
      </div>
      <Show when={change.failure()}>
        <p class="failure" role="alert">
          {change.failure()}
        </p>
      </Show>
      <Show when={edit()}>
        {(kept) => (
          <Resend
            text={kept().text}
            setText={setEdit}
            isBusy={change.isBusy()}
            send={() => void resend(kept().text)}
            cancel={() => {
              setEdit(null);
              actions.querySelector("button")?.focus(); // the field goes, and the focus with it
            }}
          />
        )}
      </Show>
    </>
  );
}

function Resend(props: {
  text: string;
  setText: (text: string) => void;
  isBusy: boolean;
  send: () => void;
  cancel: () => void;
}) {
  let field!: HTMLTextAreaElement;
  const isBlank = () => props.text.trim() === "";
  onMount(() => {
    field.focus();
    field.setSelectionRange(field.value.length, field.value.length);
  });
  const send = () => {
    if (!isBlank() && !props.isBusy) props.send();
  };
  return (
    <form
      class="resend"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <textarea
        ref={field}
        aria-label="Say it otherwise"
        rows={1}
        maxlength={INPUT_MAX_CHARS}
        value={props.text}
        onInput={(event) => props.setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (isComposing(event)) return;
          if (event.key === "Escape") props.cancel();
          if (event.key !== "Enter" || event.shiftKey || !hasKeyboard) return;
          event.preventDefault();
          send();
        }}
      />
      <p class="note">The session goes on from here in a new one; this one stays as it is.</p>
      <div class="buttons">
        <button class="go" type="submit" disabled={isBlank() || props.isBusy}>
          Send again
        </button>
        <button type="button" onClick={() => props.cancel()}>
          Cancel
        </button>
      </div>
    </form>
  );
}
