// Addresses that lead nowhere: what was meant may still be near.
import { createMemo, For, onMount, Show } from "solid-js";
import { sessionPath } from "./address.ts";
import { nameSubject } from "./document-title.ts";
import { forgetPlace } from "./last-place.ts";
import { Link } from "./link.tsx";
import { openPalette } from "./palette/open.ts";
import { CopyField } from "./settings/copy-field.tsx";
import { useDashboard } from "./state/dashboard.ts";
import { unsentText } from "./state/unsent.ts";
import { shownTitle } from "./title.ts";

export function UnknownPage() {
  nameSubject(() => "No such page");
  return (
    <div class="plain">
      <h1>There is no such page</h1>
      <p>
        Nothing is at <code>{location.pathname}</code>. The address may be incomplete, or of another version.
      </p>
      <WaysOut />
    </div>
  );
}

const NEAR_MAX = 5;
/** Shorter than this, any id begins like it. */
const NEAR_CHARS = 6;

export function UnknownSession(props: { id: string }) {
  const { list } = useDashboard();
  nameSubject(() => "No such session");
  onMount(() => void forgetPlace(props.id));
  const unsent = unsentText(props.id);
  const near = createMemo(() =>
    props.id.length < NEAR_CHARS
      ? []
      : list
          .rows()
          .filter(({ id }) => id.startsWith(props.id))
          .slice(0, NEAR_MAX),
  );
  return (
    <div class="plain">
      <h1>There is no such session</h1>
      <p role="alert">
        <code>{props.id}</code> is not here: it was deleted, or the address is incomplete.
      </p>
      <Show when={near().length > 0}>
        <p>These begin like it:</p>
        <ul class="near">
          <For each={near()}>
            {({ id, title }) => (
              <li>
                <Link href={sessionPath(id)}>{shownTitle(title)}</Link>
              </li>
            )}
          </For>
        </ul>
      </Show>
      <Show when={unsent !== ""}>
        <CopyField label="What you had typed there and not sent" text={unsent} />
      </Show>
      <WaysOut />
    </div>
  );
}

function WaysOut() {
  return (
    <p class="ways-out">
      <Link class="button go" href="/">
        Go to the sessions
      </Link>
      <button type="button" onClick={() => openPalette()}>
        Search or jump to…
      </button>
    </p>
  );
}
