// All that waits for a person, over all sessions: asks, whoever waits longest first, then sessions that failed.
import { createEffect, createMemo, For, Show } from "solid-js";
import { createStore } from "solid-js/store";
import type { Ask, SessionRow } from "../../src/protocol/http.ts";
import { sessionPath } from "../address.ts";
import { AskElsewhere } from "../asks/ask-elsewhere.tsx";
import { nameSubject } from "../document-title.ts";
import { Icon } from "../icon.tsx";
import { Link } from "../link.tsx";
import { StatusMark } from "../mark.tsx";
import { PageHead } from "../page-head.tsx";
import { useDashboard } from "../state/dashboard.ts";
import { wholeTime } from "../time-words.ts";
import { shownTitle } from "../title.ts";

/** Of those that were answered while one looks. */
const CLOSED_MAX = 30;

export function Inbox() {
  const { asks, list } = useDashboard();
  nameSubject(() => "Inbox");
  const shown = keptInPlace();
  const failed = createMemo(() => list.rows().filter(({ attention }) => attention?.kind === "failed"));
  const isEmpty = () => shown().length === 0 && failed().length === 0;
  return (
    <>
      <PageHead title="Inbox">
        <p class="note" role="status">
          {countWords(asks.open().length, failed().length)}
        </p>
      </PageHead>
      <div class="inbox page">
        <Show when={asks.isHere && list.isHere} fallback={<p class="note">Loading…</p>}>
          <Show when={shown().length > 0}>
            <ol class="cards" aria-label="Asks">
              <For each={shown()}>
                {(ask) => (
                  <li>
                    <AskElsewhere ask={ask} />
                  </li>
                )}
              </For>
            </ol>
          </Show>
          <Show when={failed().length > 0}>
            <h2>Failed</h2>
            <ul class="failures">
              <For each={failed()}>{(row) => <Failure row={list.row(row.id) ?? row} />}</For>
            </ul>
          </Show>
          <Show when={isEmpty()}>
            <div class="empty">
              <Icon name="inbox" />
              <p>Nothing waits for you.</p>
              <p class="note">Approvals and questions from every session come here.</p>
            </div>
          </Show>
        </Show>
      </div>
    </>
  );
}

/** An answered card stays where it is until one leaves: what moves under a finger gets a press that was for another. */
function keptInPlace(): () => readonly Ask[] {
  const { asks } = useDashboard();
  const [seen, setSeen] = createStore<Ask[]>([]);
  createEffect(() => {
    const open = asks.open();
    const closed = seen.filter(({ id }) => !asks.isOpen(id)).slice(-CLOSED_MAX);
    const kept = seen.filter((ask) => asks.isOpen(ask.id) || closed.includes(ask));
    const known = new Set(kept.map(({ id }) => id));
    const fresh = open.filter(({ id }) => !known.has(id));
    if (fresh.length > 0 || kept.length < seen.length) setSeen([...kept, ...fresh]);
  });
  return () => seen;
}

function Failure(props: { row: SessionRow }) {
  const { ageOf } = useDashboard();
  const failedAt = createMemo(() => ageOf(props.row.updatedAt));
  return (
    <li>
      <Link class="row" href={sessionPath(props.row.id)}>
        <StatusMark mark="failed" />
        <span class="title">{shownTitle(props.row.title)}</span>
        <time datetime={props.row.updatedAt} title={wholeTime(props.row.updatedAt)}>
          {failedAt()}
        </time>
        <span class="words">Its last turn failed. Open it to see why, and to try again.</span>
      </Link>
    </li>
  );
}

function countWords(asks: number, failed: number): string {
  const parts = [
    asks > 0 ? `${asks} ${asks === 1 ? "needs" : "need"} you` : "",
    failed > 0 ? `${failed} failed` : "",
  ];
  return parts.filter((part) => part !== "").join(" · ");
}
