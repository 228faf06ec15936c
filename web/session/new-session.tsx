// Where a session begins: who is to work in it, and where; and what to say first.
import { createMemo, For, Show } from "solid-js";
import type { ProfileInfo } from "../../src/client/commands.ts";
import { Icon } from "../icon.tsx";
import { isNarrow } from "../media.ts";
import { PageHead } from "../page-head.tsx";
import { importSession } from "../sessions/import.ts";
import { useDashboard } from "../state/dashboard.ts";
import { newOptions, setNewOptions } from "../state/new-options.ts";
import { createCommands } from "./commands.ts";
import { Composer } from "./composer.tsx";
import { ModelChoice } from "./composer-model.tsx";
import type { Enter } from "./enter.ts";
import { ToldCard } from "./told.tsx";

const BEGINS: Enter = {
  way: "queue",
  verb: "Begin",
  does: "begins the session",
  other: null,
  answers: null,
  isPast: false,
  isLate: false,
};
const DEFAULT_PROFILE = "default";

export function NewSession(props: { hasFocus: boolean }) {
  const { begin, client, list, profiles } = useDashboard();
  const commands = createCommands(() => ({ client, list, outbox: begin, session: undefined, view: null }));
  const profile = createMemo(() => profiles.named(newOptions.profile ?? DEFAULT_PROFILE));
  const model = () => newOptions.model ?? profile()?.model ?? null;
  const isDemo = () =>
    (newOptions.model === null ? profile()?.demo : newOptions.model.startsWith("demo/")) ?? false;

  return (
    <>
      <PageHead title="New session">
        <span class="grow" />
        <button class="quiet" type="button" onClick={() => importSession(client)}>
          Import a session…
        </button>
      </PageHead>
      <div class="log begin">
        <div class="hint">
          <p>
            What you send here begins a session. It goes on when you leave, and is here when you come back.
          </p>
          <Show when={isDemo()}>
            <DemoThings />
          </Show>
        </div>
      </div>
      <div class="compose">
        <Show when={commands.told()}>
          {(told) => <ToldCard told={told()} close={() => commands.forget()} />}
        </Show>
        <Show when={isNarrow()} fallback={<Options profile={profile()} />}>
          <details class="options-fold">
            <summary>
              <span>
                Profile {newOptions.profile ?? DEFAULT_PROFILE}, in{" "}
                {newOptions.workspace || (profile()?.workspace ?? "a new directory")}
              </span>
              <Icon name="chevronDown" />
            </summary>
            <Options profile={profile()} />
          </details>
        </Show>
        <Composer
          outbox={begin}
          enter={BEGINS}
          hasFocus={props.hasFocus}
          commands={commands}
          bar={
            <ModelChoice
              model={model()}
              own={profile()?.model ?? null}
              isDemo={isDemo()}
              choose={async (chosen) => setNewOptions({ model: chosen === profile()?.model ? null : chosen })}
            />
          }
        />
      </div>
    </>
  );
}

/** Each is a scene that the demo knows. */
const THINGS: readonly { say: string; see: string }[] = [
  { say: "count to twenty", see: "a command of 20 seconds: leave, reload, or kill the server meanwhile" },
  { say: "show me an approval", see: "a command that wants your permission first" },
  { say: "ask me something", see: "a question that waits for you, for days if need be" },
  { say: "tell me a story", see: "a longer text: reload the page in mid-sentence" },
  { say: "delegate", see: "a second session that works for this one" },
  { say: "show me everything", see: "a command, a file and a question in one turn" },
];

function DemoThings() {
  const { begin, profiles } = useDashboard();
  const hasModel = () => profiles.list?.some(({ demo }) => !demo) ?? false;
  return (
    <section class="to-try" aria-label="Things to try with the demo">
      <p>
        <span class="tag">demo</span>{" "}
        {hasModel()
          ? "With this choice a script answers, and no model."
          : "No model is configured, so a script answers in its place."}{" "}
        Its commands and files are real. Things to try:
      </p>
      <ul>
        <For each={THINGS}>
          {({ say, see }) => (
            <li>
              <button type="button" onClick={() => begin.send(say, "queue")}>
                <b>{say}</b>
                <span>{see}</span>
              </button>
            </li>
          )}
        </For>
      </ul>
    </section>
  );
}

function Options(props: { profile: ProfileInfo | undefined }) {
  const { profiles } = useDashboard();
  return (
    <div class="options">
      <label>
        <span>Profile</span>
        <select
          value={newOptions.profile ?? DEFAULT_PROFILE}
          onChange={(event) => {
            const { value } = event.currentTarget;
            setNewOptions({ profile: value === DEFAULT_PROFILE ? null : value, model: null });
          }}
        >
          <For each={profiles.list ?? []} fallback={<option value={DEFAULT_PROFILE}>default</option>}>
            {({ name, unusable }) => (
              <option
                value={name}
                disabled={unusable !== null}
                selected={name === (newOptions.profile ?? DEFAULT_PROFILE)}
              >
                {unusable === null ? name : `${name} (${unusable})`}
              </option>
            )}
          </For>
        </select>
      </label>
      <label class="grow">
        <span>Workspace</span>
        <input
          value={newOptions.workspace}
          placeholder={props.profile?.workspace ?? "a new directory of its own"}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          maxlength={4096}
          onInput={(event) => setNewOptions({ workspace: event.currentTarget.value })}
        />
      </label>
      <Show when={profiles.failure}>
        <p class="failure" role="alert">
          The profiles could not be read: {profiles.failure}{" "}
          <button type="button" onClick={() => profiles.reload()}>
            Try again
          </button>
        </p>
      </Show>
      <Show when={props.profile?.unusable}>
        <p class="failure" role="alert">
          This profile can't work yet: {props.profile?.unusable}
        </p>
      </Show>
    </div>
  );
}
