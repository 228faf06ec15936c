// What the agent asks, with all that it takes to judge it and the ways to answer. The same card in its session, in the
// Inbox and on a page of its own.
import { createEffect, createMemo, Show, type JSX } from "solid-js";
import { useDashboard } from "../state/dashboard.ts";
import type { AskedCall } from "./asked-call.ts";
import { AnswerForm } from "./answer-form.tsx";
import { answerByKey } from "./answer-key.ts";
import { outcomeWords } from "./outcome-words.ts";
import type { ShownAsk } from "./shown-ask.ts";
import { AskSubject } from "./subject.tsx";

export function AskCard(props: {
  ask: ShownAsk;
  /** Undefined while it is not known what the call was given. */
  call: AskedCall | undefined;
  /** Where the words before the call are not to be seen anyway. */
  withWhy?: boolean;
  isOpen: boolean;
  /** It has just come to stand where it is: no pointer presses anything on it yet. */
  isSettling?: boolean;
  children?: JSX.Element;
}) {
  const { answering, person } = useDashboard();
  let card!: HTMLElement;
  const answer = createMemo(() => answering(props.ask.id));
  const isClosed = () => !props.isOpen || answer().closed !== null;
  createEffect(() => {
    if (!props.isOpen) void answer().learn();
  });
  // The button that was pressed is disabled now, and would drop the focus.
  createEffect(() => {
    if (answer().isSending && card.contains(document.activeElement)) card.focus({ preventScroll: true });
  });
  const heading = () => {
    if (isClosed()) return props.ask.kind === "approval" ? "Approval" : "Question";
    return props.ask.kind === "approval" ? "Waits for your approval" : "Waits for your answer";
  };
  return (
    <article
      ref={card}
      class="ask"
      classList={{ closed: isClosed(), settling: props.isSettling ?? false }}
      data-ask={props.ask.id}
      tabindex="0"
      aria-label={`${heading()}: ${props.ask.title.slice(0, 200)}`}
      onKeyDown={(event) => {
        // A key that is held has said all that it says: the next card has the focus by now.
        if (event.repeat) return;
        // Only for the card itself: in its field these are letters.
        if (event.target !== event.currentTarget || event.metaKey || event.ctrlKey || event.altKey) return;
        if (!isClosed() && answerByKey(event.key, props.ask, answer())) event.preventDefault();
      }}
    >
      {props.children}
      <AskSubject ask={props.ask} call={props.call} heading={heading()} withWhy={props.withWhy ?? false} />
      <Show
        when={!isClosed()}
        fallback={
          <p class="outcome" role="status">
            <Show when={answer().closed} fallback="It is open no longer.">
              {(ask) => <>{outcomeWords(ask(), person(), answer().isOurs)}</>}
            </Show>
            <Show when={!answer().isOurs && answer().text !== ""}>
              <span class="note">Your words were not sent: {answer().text}</span>
            </Show>
          </p>
        }
      >
        <AnswerForm ask={props.ask} answer={answer()} />
      </Show>
      <Show when={answer().failure}>
        <p class="failure" role="alert">
          {answer().failure}
        </p>
      </Show>
    </article>
  );
}
