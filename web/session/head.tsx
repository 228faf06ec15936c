import { createMemo, createSignal, Show } from "solid-js";
import { TITLE_MAX_CHARS } from "../../src/protocol/limits.ts";
import type { View } from "../../src/session/view.ts";
import { ConnectionPill } from "../connection-pill.tsx";
import { failureWords } from "../failure-words.ts";
import { Link } from "../link.tsx";
import { StatusMark } from "../mark.tsx";
import { useDashboard } from "../state/dashboard.ts";
import { markOf, standingOf, statusWords } from "../status-words.ts";
import { duration } from "../time-words.ts";
import { shownTitle } from "../title.ts";
import { usageWords } from "./usage-words.ts";

export function PaneHead(props: { id: string; view: View }) {
  const { now } = useDashboard();
  const standing = createMemo(() => standingOf(props.view));
  /** Apart from the status, which is read out: nobody wants to hear the seconds pass. */
  const elapsed = createMemo(() => {
    const { turn } = props.view;
    if (turn === null) return "";
    return duration(1000 * Math.floor((now() - Date.parse(turn.startedAt)) / 1000));
  });
  return (
    <header class="head">
      <Link class="back" href="/" aria-label="All sessions">
        ‹
      </Link>
      <Title id={props.id} title={props.view.meta.title} />
      <span class="pill status" role="status">
        <StatusMark mark={markOf({ ...standing(), unread: 0 })} />
        {statusWords(standing(), now())}
      </span>
      <span class="pill elapsed">{elapsed()}</span>
      <Show when={props.view.turn}>{(turn) => <Stop id={props.id} isAsked={turn().stopRequested} />}</Show>
      <span class="grow" />
      <Show when={props.view.usage.inputTokens + props.view.usage.outputTokens > 0}>
        <span class="pill usage">{usageWords(props.view.usage)}</span>
      </Show>
      <ConnectionPill />
    </header>
  );
}

/** Ends the turn; its words stay. Leaving is another thing: it does nothing at all. */
function Stop(props: { id: string; isAsked: boolean }) {
  const { client } = useDashboard();
  const [failure, setFailure] = createSignal<string>();
  const stop = () =>
    client.stop(props.id).then(
      () => setFailure(undefined),
      (error: unknown) => setFailure(failureWords(error)),
    );
  return (
    <>
      <button
        class="stop"
        type="button"
        aria-label={props.isAsked ? "Stopping the turn" : "Stop the turn"}
        disabled={props.isAsked}
        onClick={() => void stop()}
      >
        {props.isAsked ? "Stopping…" : "Stop"}
      </button>
      <Show when={failure()}>
        <span class="failure" role="alert">
          {failure()}
        </span>
      </Show>
    </>
  );
}

function Title(props: { id: string; title: string | null }) {
  const { client } = useDashboard();
  const [isEditing, setEditing] = createSignal(false);
  const [failure, setFailure] = createSignal<string>();
  let button: HTMLButtonElement | undefined;

  async function rename(text: string): Promise<void> {
    const title = text.trim();
    setFailure(undefined);
    if (title === "" || title === props.title) return close();
    try {
      await client.patchSession(props.id, { title });
      close();
    } catch (error) {
      setFailure(failureWords(error)); // and the editor stays open with what was typed
    }
  }
  function close(): void {
    setEditing(false);
    button?.focus();
  }

  return (
    <Show
      when={isEditing()}
      fallback={
        <h1>
          <button
            ref={button}
            class="title"
            type="button"
            title="Rename"
            aria-label={`${shownTitle(props.title)}, rename`}
            onClick={() => setEditing(true)}
          >
            {shownTitle(props.title)}
          </button>
        </h1>
      }
    >
      <form
        class="rename"
        onSubmit={(event) => {
          event.preventDefault();
          void rename(new FormData(event.currentTarget).get("title") as string); // the one field below
        }}
      >
        <input
          ref={(field) => queueMicrotask(() => field.select())}
          name="title"
          aria-label="Title"
          aria-invalid={failure() !== undefined}
          maxlength={TITLE_MAX_CHARS}
          value={props.title ?? ""}
          autocomplete="off"
          onKeyDown={(event) => {
            if (event.key === "Escape") close();
          }}
        />
        <button class="go" type="submit">
          Rename
        </button>
        <button type="button" onClick={close}>
          Cancel
        </button>
        <Show when={failure()}>
          <span class="failure" role="alert">
            {failure()}
          </span>
        </Show>
      </form>
    </Show>
  );
}
