// A card outside the session that it belongs to: with a way there, and with what its log says, read once it is in view.
import { createMemo, createSignal, onCleanup, onMount, Show } from "solid-js";
import type { ShownSession } from "../../src/client/commands.ts";
import { sessionPath } from "../address.ts";
import { failureWords } from "../failure-words.ts";
import { Link } from "../link.tsx";
import { useDashboard } from "../state/dashboard.ts";
import { wholeTime } from "../time-words.ts";
import { shownTitle } from "../title.ts";
import { askedCall } from "./asked-call.ts";
import { AskCard } from "./card.tsx";
import type { ShownAsk } from "./shown-ask.ts";

export function AskElsewhere(props: { ask: ShownAsk; isSettling?: boolean }) {
  const { client, asks, list, ageOf } = useDashboard();
  const [session, setSession] = createSignal<ShownSession>();
  const [failure, setFailure] = createSignal<string>();
  const title = () => list.row(props.ask.session)?.title ?? session()?.title;
  const call = createMemo(() => {
    const view = session()?.view;
    return view && askedCall(view, props.ask.call);
  });
  const opened = createMemo(() => ageOf(props.ask.openedAt));
  let head!: HTMLParagraphElement;

  onMount(() => {
    const inView = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      inView.disconnect();
      void read();
    });
    inView.observe(head);
    onCleanup(() => inView.disconnect());
  });

  async function read(): Promise<void> {
    try {
      setSession(await client.session(props.ask.session));
    } catch (error) {
      setFailure(failureWords(error));
    }
  }

  return (
    <AskCard
      ask={props.ask}
      call={call()}
      isOpen={asks.isOpen(props.ask.id)}
      isSettling={props.isSettling ?? false}
      withWhy
    >
      <p class="whose" ref={head}>
        <Link href={sessionPath(props.ask.session)}>{shownTitle(title())}</Link>
        <time datetime={props.ask.openedAt} title={wholeTime(props.ask.openedAt)}>
          {opened()}
        </time>
      </p>
      <Show when={failure()}>
        <p class="failure" role="alert">
          What it was given can't be read: {failure()}
        </p>
      </Show>
    </AskCard>
  );
}
