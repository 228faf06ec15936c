import { Composer } from "./composer.tsx";
import { Link } from "../link.tsx";
import { useDashboard } from "../state/dashboard.ts";

export function NewSession(props: { hasFocus: boolean }) {
  const { begin } = useDashboard();
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
        <Composer outbox={begin} placeholder="Enter begins the session" hasFocus={props.hasFocus} />
      </div>
    </>
  );
}
