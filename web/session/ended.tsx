// In the composer's place once a session is over: where it goes on, and what was typed too late for it.
import { Show } from "solid-js";
import type { View } from "../../src/session/view.ts";
import { sessionPath } from "../address.ts";
import { Link } from "../link.tsx";
import { navigate } from "../route.ts";
import { useDashboard } from "../state/dashboard.ts";
import type { Outbox } from "../state/outbox.ts";

export function Ended(props: { ended: NonNullable<View["ended"]>; outbox: Outbox }) {
  const { follow } = useDashboard();

  function takeAlong(successor: string): void {
    const { outbox } = follow(successor);
    outbox.setText(outbox.text.trim() === "" ? props.outbox.text : `${props.outbox.text}\n\n${outbox.text}`);
    props.outbox.setText("");
    navigate(sessionPath(successor));
  }

  return (
    <div class="box ended">
      <p>
        This session has ended ({props.ended.reason}).
        <Show when={props.ended.successor}>
          {(successor) => (
            <>
              {" "}
              It goes on in <Link href={sessionPath(successor())}>its successor</Link>.
            </>
          )}
        </Show>
      </p>
      <Show when={props.outbox.text.trim()}>
        {(text) => (
          <p class="unsent">
            <span>
              Not sent here: <q>{text()}</q>
            </span>
            <Show when={props.ended.successor}>
              {(successor) => (
                <button type="button" onClick={() => takeAlong(successor())}>
                  Take it along
                </button>
              )}
            </Show>
          </p>
        )}
      </Show>
    </div>
  );
}
