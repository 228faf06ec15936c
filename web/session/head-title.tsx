// The title, which is also the way to change it.
import { createSignal, Show } from "solid-js";
import { TITLE_MAX_CHARS } from "../../src/protocol/limits.ts";
import { createAttempt } from "../attempt.ts";
import { useDashboard } from "../state/dashboard.ts";
import { shownTitle } from "../title.ts";

export function HeadTitle(props: { id: string; title: string | null }) {
  const { client } = useDashboard();
  const [isEditing, setEditing] = createSignal(false);
  const renaming = createAttempt();
  let button: HTMLButtonElement | undefined;

  async function rename(text: string): Promise<void> {
    const title = text.trim();
    if (title === "" || title === props.title) return close();
    // When it fails the editor stays open with what was typed.
    if (await renaming.run(() => client.patchSession(props.id, { title }))) close();
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
          aria-invalid={renaming.failure() !== undefined}
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
        <Show when={renaming.failure()}>
          <span class="failure" role="alert">
            {renaming.failure()}
          </span>
        </Show>
      </form>
    </Show>
  );
}
