// The asks at the end of a session's transcript: its own, and those of the agents that work for it. A card goes when the
// log says that it was answered; only who was about to answer is still told how it went.
import { createMemo, createSignal, For, onCleanup } from "solid-js";
import type { OpenAsk, View } from "../../src/session/view.ts";
import { useDashboard } from "../state/dashboard.ts";
import { askedCall } from "./asked-call.ts";
import { AskElsewhere } from "./ask-elsewhere.tsx";
import { AskCard } from "./card.tsx";
import { createSettling } from "./settling.ts";
import { askOfView, type ShownAsk } from "./shown-ask.ts";

const LOST_MAX = 5;

export function OpenAsks(props: { session: string; view: View }) {
  const { answering, asks, list } = useDashboard();
  const [left, setLeft] = createSignal<readonly ShownAsk[]>([]);
  const lost = createMemo(() =>
    left().filter(({ id }) => {
      const { isSending, isOurs, closed, text } = answering(id);
      return !isSending && !isOurs && (closed !== null || text !== "");
    }),
  );
  const ofDelegates = createMemo(() =>
    asks.open().filter(({ session }) => list.above(session).includes(props.session)),
  );
  const isSettling = createSettling(() =>
    [...lost(), ...ofDelegates()]
      .map(({ id }) => id)
      .concat(props.view.asks.map(({ ask }) => ask))
      .join(),
  );
  return (
    <>
      <For each={lost()}>
        {(ask) => (
          <li class="message asking">
            <AskCard ask={ask} call={undefined} isOpen={false}>
              <p class="whose">
                <b>No longer open</b>
                <button
                  class="quiet"
                  type="button"
                  onClick={() => setLeft((before) => before.filter((each) => each !== ask))}
                >
                  Dismiss
                </button>
              </p>
            </AskCard>
          </li>
        )}
      </For>
      <For each={props.view.asks}>
        {(open) => (
          <OwnAsk
            session={props.session}
            open={open}
            view={props.view}
            isSettling={isSettling()}
            leave={(ask) => setLeft((before) => [...before, ask].slice(-LOST_MAX))}
          />
        )}
      </For>
      <For each={ofDelegates()}>
        {(ask) => (
          <li class="message asking">
            <AskElsewhere ask={ask} isSettling={isSettling()} />
          </li>
        )}
      </For>
    </>
  );
}

function OwnAsk(props: {
  session: string;
  open: OpenAsk;
  view: View;
  isSettling: boolean;
  leave: (ask: ShownAsk) => void;
}) {
  const ask = askOfView(props.session, props.open);
  let item!: HTMLLIElement;
  onCleanup(() => {
    if (item.contains(document.activeElement)) focusAfter(item);
    props.leave(ask);
  });
  return (
    <li ref={item} class="message asking">
      <AskCard ask={ask} call={askedCall(props.view, ask.call)} isSettling={props.isSettling} isOpen />
    </li>
  );
}

/** Whoever has answered by keyboard goes on with the next ask, or else reads on. */
function focusAfter(item: HTMLElement): void {
  const log = item.closest<HTMLElement>(".log");
  queueMicrotask(() => {
    const next = log?.querySelector<HTMLElement>(".ask:not(.closed)") ?? log;
    next?.focus({ preventScroll: next === log });
  });
}
