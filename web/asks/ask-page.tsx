// One ask by its address, as a notification opens it: to answer, or to read how it was answered.
import { createEffect, createSignal, Match, Show, Switch } from "solid-js";
import { ProblemError } from "../../src/client/errors.ts";
import type { Ask } from "../../src/protocol/http.ts";
import { sessionPath } from "../address.ts";
import { nameSubject } from "../document-title.ts";
import { failureWords } from "../failure-words.ts";
import { Link } from "../link.tsx";
import { BackLink, PageHead } from "../page-head.tsx";
import { useDashboard } from "../state/dashboard.ts";
import { AskElsewhere } from "./ask-elsewhere.tsx";

type Found = { ask: Ask } | { failure: string; isUnknown: boolean };

export function AskPage(props: { id: string }) {
  const { client, asks, connection } = useDashboard();
  const [found, setFound] = createSignal<Found>();
  const ask = () => {
    const now = found();
    return now && "ask" in now ? now.ask : undefined;
  };
  const failed = () => {
    const now = found();
    return now && "failure" in now ? now : undefined;
  };
  nameSubject(() => ask()?.title ?? "Ask");
  const title = () => {
    const now = failed();
    if (now) return now.isUnknown ? "There is no such ask" : "This ask can't be shown";
    return ask()?.kind === "approval" ? "An approval" : ask() ? "A question" : "Ask";
  };

  createEffect(() => {
    if (connection().state === "connected" && !ask()) void look(props.id);
  });

  async function look(id: string): Promise<void> {
    try {
      setFound({ ask: await client.ask(id) });
    } catch (error) {
      const isUnknown = error instanceof ProblemError && error.code === "not_found";
      setFound({ failure: failureWords(error), isUnknown });
    }
  }

  return (
    <>
      <PageHead title={title()} back={<BackLink href="/inbox" label="Inbox" />} />
      <div class="page asks-page">
        <Switch fallback={<p class="note">Looking for it…</p>}>
          <Match when={failed()?.isUnknown}>
            <p role="alert">
              <code>{props.id}</code> is not here: its session was deleted, or the address is incomplete.{" "}
              <Link href="/inbox">Go to the Inbox</Link>
            </p>
          </Match>
          <Match when={failed()}>
            {(now) => (
              <>
                <p role="alert">{now().failure}</p>
                <button type="button" onClick={() => void look(props.id)}>
                  Try again
                </button>
              </>
            )}
          </Match>
          <Match when={asks.isHere && ask()}>
            {(there) => (
              <>
                <AskElsewhere ask={there()} />
                <p class="onward">
                  <Link href={sessionPath(there().session)}>Open its session</Link>
                  <Show when={asks.open().length > 0}>
                    <Link href="/inbox">All that wait ({asks.open().length})</Link>
                  </Show>
                </p>
              </>
            )}
          </Match>
        </Switch>
      </div>
    </>
  );
}
