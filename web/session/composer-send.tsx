// The end of the composer's bar: what Enter does while a turn runs, and the button that does it.
import { createUniqueId, For, Show } from "solid-js";
import { Icon } from "../icon.tsx";
import { Menu } from "../menu.tsx";
import type { Outbox, UsualWay, Way } from "../state/outbox.ts";
import type { Enter } from "./enter.ts";

const WAYS: readonly { way: UsualWay; label: string; about: string }[] = [
  { way: "queue", label: "Queue", about: "Waits until this turn is over" },
  { way: "steer", label: "Steer", about: "Reaches the agent before its next step" },
];

export function WayChoice(props: { outbox: Outbox }) {
  const name = createUniqueId();
  return (
    <span class="ways" role="radiogroup" aria-label="While a turn runs, Enter">
      <For each={WAYS}>
        {({ way, label, about }) => (
          <label title={about}>
            <input
              type="radio"
              name={name}
              checked={props.outbox.way === way}
              onChange={() => props.outbox.setWay(way)}
            />
            <span>{label}</span>
          </label>
        )}
      </For>
    </span>
  );
}

export function SendButton(props: {
  enter: Enter;
  isBlank: boolean;
  /** In place of sending: there is nothing to send, and something to stop. */
  stop: { isAsked: boolean; run: () => void } | undefined;
  send: (way: Way) => void;
}) {
  return (
    <Show
      when={props.stop}
      fallback={
        <span class="send">
          <button class="go" type="submit" disabled={props.isBlank}>
            {props.enter.verb}
          </button>
          <Show when={props.enter.other}>
            {(other) => (
              <Menu
                class="go more"
                label="Other ways to send"
                button={<Icon name="chevronDown" />}
                items={[
                  {
                    label: other().way === "steer" ? "Steer with it" : "Queue it",
                    about: WAYS.find(({ way }) => way === other().way)?.about ?? "",
                    isDisabled: props.isBlank,
                    run: () => props.send(other().way),
                  },
                  {
                    label: "Stop the turn and send it now",
                    about: "What the agent has said so far stays",
                    isDisabled: props.isBlank,
                    run: () => props.send("now"),
                  },
                ]}
              />
            )}
          </Show>
        </span>
      }
    >
      {(stop) => (
        <button class="stop" type="button" disabled={stop().isAsked} onClick={() => stop().run()}>
          <Icon name="stop" />
          {stop().isAsked ? "Stopping…" : "Stop"}
        </button>
      )}
    </Show>
  );
}
