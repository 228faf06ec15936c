// Where this server's persons are logged in, and a link to log in elsewhere.
import { createSignal, For, Show } from "solid-js";
import type { LoginInfo, LoginLink } from "../../src/client/commands.ts";
import { createAttempt } from "../attempt.ts";
import { Icon } from "../icon.tsx";
import { useDashboard } from "../state/dashboard.ts";
import { ago, clockTime, wholeTime } from "../time-words.ts";
import { CopyField } from "./copy-field.tsx";
import { createLoaded } from "../loaded.ts";
import { LogOut } from "./log-out.tsx";
import { Arrived, Section } from "../section.tsx";
import { TakeBack } from "./take-back.tsx";

export function Devices() {
  const { client } = useDashboard();
  const loaded = createLoaded(async (signal) => {
    const [me, logins] = await Promise.all([client.me(signal), client.logins(signal)]);
    return { me, logins: logins.toSorted((a, b) => Number(b.id === me.id) - Number(a.id === me.id)) };
  });
  return (
    <Section
      id="devices"
      title="Devices"
      about="Browsers that are logged in. A login lasts 30 days from its last use."
    >
      <Arrived loaded={loaded}>
        {(value) => (
          <ul class="things">
            <For each={value().logins}>
              {(login) => (
                <Device
                  login={login}
                  isThis={login.id === value().me.id}
                  isOthers={login.person !== value().me.person}
                  revoked={loaded.reload}
                />
              )}
            </For>
          </ul>
        )}
      </Arrived>
      <NewDevice />
    </Section>
  );
}

function Device(props: {
  login: LoginInfo;
  isThis: boolean;
  isOthers: boolean;
  revoked: () => Promise<void>;
}) {
  const { client, now } = useDashboard();
  return (
    <li>
      <Icon name="device" />
      <span class="name">
        {props.login.device}
        <Show when={props.isThis}>
          {" "}
          <span class="tag">this device</span>
        </Show>
        <Show when={props.isOthers}> · {props.login.person}</Show>
      </span>
      <span class="when" title={wholeTime(props.login.usedAt)}>
        {props.isThis ? "in use" : `last used ${ago(props.login.usedAt, now())}`}
      </span>
      <Show when={!props.isThis} fallback={<LogOut />}>
        <TakeBack
          verb="Log out"
          what={props.login.device}
          run={async () => {
            await client.revokeLogin(props.login.id);
            await props.revoked();
          }}
        />
      </Show>
    </li>
  );
}

function NewDevice() {
  const { client, now } = useDashboard();
  const [link, setLink] = createSignal<LoginLink>();
  const making = createAttempt();
  const make = () => making.run(async () => setLink(await client.createLoginLink()));
  /** Under the address by which this browser reaches the server; the server knows only its own. */
  const shown = (made: LoginLink) => location.origin + new URL(made.url).pathname + new URL(made.url).hash;
  const isLocal = /^(localhost|127\.|\[::1\])/.test(location.hostname);

  return (
    <div class="make">
      <Show when={link()} keyed>
        {(made) => (
          <>
            <CopyField label="Open this link on the other device" text={shown(made)} />
            <p class="note">
              It works once, until {clockTime(made.expiresAt, now())}.
              <Show when={isLocal}>
                {" "}
                You opened Holdfast as {location.host}, which only this machine can reach.
              </Show>
            </p>
          </>
        )}
      </Show>
      <button type="button" disabled={making.isBusy()} onClick={() => void make()}>
        {link() ? "Make another link" : "Log in on another device…"}
      </button>
      <Show when={making.failure()}>
        <p class="failure" role="alert">
          {making.failure()}
        </p>
      </Show>
    </div>
  );
}
