import { Show } from "solid-js";
import { Composer } from "./composer.tsx";
import { Link } from "../link.tsx";
import { useDashboard } from "../state/dashboard.ts";
import { createCommands } from "./commands.ts";
import type { Enter } from "./enter.ts";
import { ToldCard } from "./told.tsx";

const BEGINS: Enter = { way: "queue", verb: "Begin", does: "begins the session", other: null };

export function NewSession(props: { hasFocus: boolean }) {
  const { begin, client, list } = useDashboard();
  const commands = createCommands(() => ({ client, list, outbox: begin, session: undefined, view: null }));
  return (
    <>
      <header class="head">
        <Link class="back" href="/" aria-label="All sessions">
          ‹
        </Link>
        <h1>New session</h1>
      </header>
      <div class="log">
        <p class="hint">
          What you send here begins a session. It goes on when you leave, and is here when you come back.
        </p>
      </div>
      <div class="compose">
        <Show when={commands.told()}>
          {(told) => <ToldCard told={told()} close={() => commands.forget()} />}
        </Show>
        <Composer outbox={begin} enter={BEGINS} hasFocus={props.hasFocus} commands={commands} />
      </div>
    </>
  );
}
