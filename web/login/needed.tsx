// In place of the panes while the server does not let this browser in. Whoever logs in, here or in another tab, comes
// back to exactly this address.
import { createSignal, onCleanup, onMount, Show } from "solid-js";
import type { Problem } from "../../src/protocol/problem.ts";
import { keepAddress, onLoggedIn, takeAddress } from "./came-from.ts";
import { HowToLogIn, LoginFrame } from "./frame.tsx";

export function LoginNeeded(props: {
  problem: Problem;
  /** It was let in before, and then no longer. */
  wasIn: boolean;
  isTrying: boolean;
  retry: () => void;
}) {
  const [tries, setTries] = createSignal(0);
  onMount(keepAddress);
  onCleanup(() => void takeAddress()); // back without leaving
  onCleanup(onLoggedIn(() => props.retry()));
  return (
    <LoginFrame>
      <Show
        when={props.problem.code === "unauthorized"}
        fallback={
          <>
            <h1>{props.problem.title}</h1>
            <p role="alert">{props.problem.detail}</p>
          </>
        }
      >
        <Show when={props.wasIn} fallback={<h1>Log in</h1>}>
          <h1>You were logged out</h1>
          <p role="alert">
            Someone logged this device out, its login ran out, or a backup was restored on the server. What
            you typed is kept, and you come back to where you were.
          </p>
        </Show>
        <HowToLogIn />
      </Show>
      <p class="again">
        <button
          class="go"
          type="button"
          disabled={props.isTrying}
          onClick={() => {
            setTries((n) => n + 1);
            props.retry();
          }}
        >
          {props.isTrying ? "Trying…" : "Try again"}
        </button>
        <span class="note" role="status">
          {tries() > 0 && !props.isTrying ? "Still not logged in." : ""}
        </span>
      </p>
    </LoginFrame>
  );
}
