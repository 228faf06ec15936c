// Shows the page to whom the server lets in. When it no longer does, the page stays as it is behind the login, so that
// nothing typed anywhere on it is lost.
import { createEffect, createSignal, on, Show, type JSX } from "solid-js";
import type { Problem } from "../../src/protocol/problem.ts";
import { useDashboard } from "../state/dashboard.ts";
import { LoginNeeded } from "./needed.tsx";

export function LoginGuard(props: { children: JSX.Element }) {
  const { connection, reconnect } = useDashboard();
  const [problem, setProblem] = createSignal<Problem>();
  const [wasIn, setWasIn] = createSignal(false);
  createEffect(
    on(connection, (now) => {
      if (now.state === "connected") {
        setProblem(undefined);
        setWasIn(true);
      }
      if (now.state !== "refused") return;
      setProblem(now.problem);
      // A modal dialog makes all else inert, even when nobody sees it.
      for (const dialog of document.querySelectorAll<HTMLDialogElement>("dialog:modal")) dialog.close();
    }),
  );
  return (
    <>
      <div class="frame" hidden={problem() !== undefined}>
        {props.children}
      </div>
      <Show when={problem()}>
        {(why) => (
          <LoginNeeded
            problem={why()}
            wasIn={wasIn()}
            isTrying={connection().state !== "refused"}
            retry={reconnect}
          />
        )}
      </Show>
    </>
  );
}
