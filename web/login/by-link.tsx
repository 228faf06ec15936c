// `/login#<secret>`: trades the one-time secret for this browser's cookie.
import { createSignal, Match, onMount, Switch } from "solid-js";
import { createClient, type Client } from "../../src/client/commands.ts";
import { ProblemError, Unreachable } from "../../src/client/errors.ts";
import { failureWords } from "../failure-words.ts";
import { navigate } from "../route.ts";
import { lastPlace } from "../last-place.ts";
import { takeAddress, tellLoggedIn } from "./came-from.ts";
import { HowToLogIn, LoginFrame } from "./frame.tsx";

export function LoginByLink(props: { secret: string }) {
  const [failure, setFailure] = createSignal<{ isSpent: boolean; words: string }>();
  const { secret } = props;
  // Before anything else: a secret in the address bar ends up in histories and screenshots.
  history.replaceState(null, "", "/login");

  async function logIn(): Promise<void> {
    setFailure(undefined);
    const client = createClient();
    try {
      await client.login(secret);
    } catch (error) {
      const isSpent = error instanceof ProblemError && error.code === "unauthorized";
      // Whoever opens an old link in a browser that is logged in just wants to get in.
      if (!isSpent || !(await isLoggedIn(client)))
        return void setFailure({ isSpent, words: failureWords(error) });
    }
    tellLoggedIn();
    navigate(takeAddress() ?? lastPlace(), { replace: true });
  }
  onMount(() => {
    if (secret !== "") void logIn();
  });

  return (
    <LoginFrame>
      <Switch fallback={<p role="status">Logging in…</p>}>
        <Match when={secret === ""}>
          <h1>Log in</h1>
          <HowToLogIn />
        </Match>
        <Match when={failure()?.isSpent}>
          <h1>This link no longer works</h1>
          <p role="alert">
            It was used already, or is older than ten minutes. Nothing is lost; get a new one:
          </p>
          <HowToLogIn />
        </Match>
        <Match when={failure()}>
          <h1>Not logged in</h1>
          <p role="alert">{failure()?.words}</p>
          <button class="go" type="button" onClick={() => void logIn()}>
            Try again
          </button>
        </Match>
      </Switch>
    </LoginFrame>
  );
}

async function isLoggedIn(client: Client): Promise<boolean> {
  try {
    await client.me();
    return true;
  } catch (error) {
    if (error instanceof ProblemError || error instanceof Unreachable) return false;
    throw error;
  }
}
