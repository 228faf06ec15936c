// Where a session comes from and where it goes on, above its transcript.
import { Show } from "solid-js";
import type { View } from "../../src/session/view.ts";
import { sessionPath } from "../address.ts";
import { Link } from "../link.tsx";
import { useDashboard } from "../state/dashboard.ts";

export function Lineage(props: { view: View }) {
  const meta = () => props.view.meta;
  const parent = () => {
    const { origin } = meta();
    return origin?.kind === "delegation" ? origin.session : undefined;
  };
  return (
    <Show when={props.view.ended?.successor ?? meta().continues ?? parent()}>
      <nav class="lineage" aria-label="Lineage">
        <Show when={meta().continues}>
          {(before) => (
            <span>
              Continues <SessionLink session={before()} otherwise="the session before" />
            </span>
          )}
        </Show>
        <Show when={parent()}>
          {(delegator) => (
            <span>
              Works for <SessionLink session={delegator()} otherwise="another session" />
            </span>
          )}
        </Show>
        <Show when={props.view.ended?.successor}>
          {(successor) => (
            <b>
              Continued in <SessionLink session={successor()} otherwise="its successor" />
            </b>
          )}
        </Show>
      </nav>
    </Show>
  );
}

/** By its title, where the list has it. */
export function SessionLink(props: { session: string; otherwise: string }) {
  const { list } = useDashboard();
  return <Link href={sessionPath(props.session)}>{list.row(props.session)?.title ?? props.otherwise}</Link>;
}
