// In place of the panes when the server does not let this browser in. Whoever logs in, in another tab perhaps, comes
// back to exactly this address.
import { Show } from "solid-js";
import type { Problem } from "../../src/protocol/problem.ts";
import { HowToLogIn, LoginFrame } from "./frame.tsx";

export function LoginNeeded(props: { problem: Problem; retry: () => void }) {
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
        <h1>Log in</h1>
        <HowToLogIn />
      </Show>
      <button type="button" onClick={() => props.retry()}>
        Try again
      </button>
    </LoginFrame>
  );
}
