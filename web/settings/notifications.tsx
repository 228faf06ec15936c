// Which news this device shows outside the page.
import { createSignal, For, Match, Show, Switch } from "solid-js";
import { choices, NEWS_KINDS, setChoices, type NewsKind } from "../notify/choices.ts";
import { askPermission, notificationPermission, showNotification } from "../notify/system.ts";
import { Section } from "../section.tsx";

const WORDS: Record<NewsKind, string> = {
  approval: "An agent wants an approval",
  question: "An agent asks you something",
  finished: "A session is done",
  failed: "A session failed",
};

const NIGHT = { from: "22:00", until: "07:00" };

export function Notifications() {
  return (
    <Section
      id="notifications"
      title="Notifications"
      about="By the system, on this device, while Holdfast is open in some tab. Nothing is shown for the session that you look at."
    >
      <Permission />
      <fieldset class="checks" disabled={notificationPermission() !== "granted"}>
        <legend class="unseen">Tell me when</legend>
        <For each={NEWS_KINDS}>{(kind) => <Kind kind={kind} />}</For>
        <QuietHours />
      </fieldset>
      <Show when={notificationPermission() === "granted"}>
        <Test />
      </Show>
    </Section>
  );
}

function Permission() {
  return (
    <Switch>
      <Match when={notificationPermission() === "default"}>
        <p class="make-line">
          <button class="go" type="button" onClick={() => void askPermission()}>
            Turn on notifications
          </button>
          <span class="note">The browser then asks you.</span>
        </p>
      </Match>
      <Match when={notificationPermission() === "denied"}>
        <p class="failure" role="status">
          This browser blocks notifications from {location.host}. Allow them in its settings for this site
          (the sign beside the address), then reload.
        </p>
      </Match>
      <Match when={notificationPermission() === "impossible"}>
        <p class="note" role="status">
          {isSecureContext
            ? "This browser has no notifications for pages. On an iPhone or iPad, add Holdfast to the home screen first."
            : "Browsers allow notifications only over https, or on the machine itself as localhost."}
        </p>
      </Match>
    </Switch>
  );
}

function Kind(props: { kind: NewsKind }) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={choices().kinds[props.kind]}
        onChange={(event) =>
          setChoices({
            ...choices(),
            kinds: { ...choices().kinds, [props.kind]: event.currentTarget.checked },
          })
        }
      />
      {WORDS[props.kind]}
    </label>
  );
}

function QuietHours() {
  const set = (part: Partial<typeof NIGHT>) =>
    setChoices({ ...choices(), quiet: { ...(choices().quiet ?? NIGHT), ...part } });
  return (
    <div class="quiet-hours">
      <label class="check">
        <input
          type="checkbox"
          checked={choices().quiet !== null}
          onChange={(event) =>
            setChoices({ ...choices(), quiet: event.currentTarget.checked ? NIGHT : null })
          }
        />
        Quiet hours
      </label>
      <Show when={choices().quiet}>
        {(quiet) => (
          <span class="hours">
            <label>
              from{" "}
              <input
                type="time"
                required
                value={quiet().from}
                onChange={(event) =>
                  event.currentTarget.value !== "" && set({ from: event.currentTarget.value })
                }
              />
            </label>
            <label>
              until{" "}
              <input
                type="time"
                required
                value={quiet().until}
                onChange={(event) =>
                  event.currentTarget.value !== "" && set({ until: event.currentTarget.value })
                }
              />
            </label>
          </span>
        )}
      </Show>
    </div>
  );
}

function Test() {
  const [state, setState] = createSignal("");
  async function test(): Promise<void> {
    await showNotification({
      title: "A test from Holdfast",
      body: "A click leads back to the settings.",
      path: "/settings",
      tag: "test",
    });
    setState("Sent. If nothing appears, the system itself holds this browser's notifications back.");
  }
  return (
    <p class="make-line">
      <button type="button" onClick={() => void test()}>
        Show a test
      </button>
      <span class="note" role="status">
        {state()}
      </span>
    </p>
  );
}
