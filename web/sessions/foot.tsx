import { createSignal, For, Show } from "solid-js";
import { failureWords } from "../failure-words.ts";
import { Icon } from "../icon.tsx";
import { Link } from "../link.tsx";
import { useDashboard } from "../state/dashboard.ts";
import { setTheme, theme, THEMES, type Theme } from "../theme.ts";

export function SidebarFoot() {
  const { client, connection } = useDashboard();
  const [failure, setFailure] = createSignal<string>();
  const person = () => {
    const now = connection();
    return now.state === "connected" ? now.hello.person : undefined;
  };

  async function logOut(): Promise<void> {
    try {
      await client.logout();
      location.assign("/"); // what was read goes with the page
    } catch (error) {
      setFailure(failureWords(error));
    }
  }

  return (
    <footer>
      <label>
        <span class="unseen">Theme</span>
        <select value={theme()} onChange={(event) => setTheme(event.currentTarget.value as Theme)}>
          <For each={THEMES}>{(name) => <option value={name}>{name}</option>}</For>
        </select>
      </label>
      <span class="grow" />
      <Show when={failure()}>
        <span role="alert">{failure()}</span>
      </Show>
      <span>{person()}</span>
      <Link class="button quiet sign" href="/settings" aria-label="Settings" title="Settings">
        <Icon name="settings" />
      </Link>
      <button class="quiet" type="button" onClick={() => void logOut()}>
        Log out
      </button>
    </footer>
  );
}
