// Credentials for programs and for command lines on other machines.
import { createSignal, For, Show } from "solid-js";
import type { MadeToken, TokenInfo } from "../../src/client/commands.ts";
import { createAttempt } from "../attempt.ts";
import { Icon } from "../icon.tsx";
import { useDashboard } from "../state/dashboard.ts";
import { ago, wholeTime } from "../time-words.ts";
import { CopyField } from "./copy-field.tsx";
import { createLoaded } from "../loaded.ts";
import { Arrived, Section } from "../section.tsx";
import { TakeBack } from "./take-back.tsx";

const NAME_MAX_CHARS = 200;

export function Tokens() {
  const { client } = useDashboard();
  const loaded = createLoaded((signal) => client.tokens(signal));
  return (
    <Section
      id="tokens"
      title="Tokens"
      about={
        <>
          For scripts and command lines: sent as <code>Authorization: Bearer …</code>
        </>
      }
    >
      <Arrived loaded={loaded}>
        {(tokens) => (
          <ul class="things">
            <For each={tokens()} fallback={<li class="note">There is no token yet.</li>}>
              {(token) => <Token token={token} revoked={loaded.reload} />}
            </For>
          </ul>
        )}
      </Arrived>
      <NewToken made={loaded.reload} />
    </Section>
  );
}

function Token(props: { token: TokenInfo; revoked: () => Promise<void> }) {
  const { client, now } = useDashboard();
  const used = () =>
    props.token.usedAt === null ? "never used" : `last used ${ago(props.token.usedAt, now())}`;
  return (
    <li>
      <Icon name="key" />
      <span class="name">
        {props.token.name} <span class="tag">{props.token.kind}</span>
      </span>
      <span class="when" title={`made ${wholeTime(props.token.createdAt)}`}>
        {used()}
      </span>
      <TakeBack
        verb="Revoke"
        what={props.token.name}
        run={async () => {
          await client.revokeToken(props.token.id);
          await props.revoked();
        }}
      />
    </li>
  );
}

function NewToken(props: { made: () => Promise<void> }) {
  const { client } = useDashboard();
  const [name, setName] = createSignal("");
  const [kind, setKind] = createSignal<"program" | "person">("program");
  const [token, setToken] = createSignal<MadeToken>();
  const making = createAttempt();
  const make = () =>
    making.run(async () => {
      setToken(await client.createToken({ name: name().trim(), kind: kind() }));
      setName(""); // until then it stays
      await props.made();
    });

  return (
    <div class="make">
      <Show when={token()} keyed>
        {(made) => (
          <>
            <CopyField label={`The token “${made.name}”`} text={made.token} />
            <p class="note">It is shown this once. Put it where it is needed before you leave this page.</p>
          </>
        )}
      </Show>
      <form
        class="new-token"
        onSubmit={(event) => {
          event.preventDefault();
          if (name().trim() !== "" && !making.isBusy()) void make();
        }}
      >
        <label class="field">
          Name of a new token
          <input
            placeholder="backup script"
            autocomplete="off"
            maxlength={NAME_MAX_CHARS}
            value={name()}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </label>
        <label class="field">
          Acts as
          <select
            value={kind()}
            onChange={(event) => setKind(event.currentTarget.value as "program" | "person")}
          >
            <option value="program">a program</option>
            <option value="person">you</option>
          </select>
        </label>
        <button class="go" type="submit" disabled={name().trim() === "" || making.isBusy()}>
          Make a token
        </button>
      </form>
      <p class="note">
        {kind() === "program"
          ? "A program never marks anything as read."
          : "It acts in your name: what it reads counts as read by you."}
      </p>
      <Show when={making.failure()}>
        <p class="failure" role="alert">
          {making.failure()}
        </p>
      </Show>
    </div>
  );
}
