import { createMemo, createSignal, For, Show } from "solid-js";
import type { SessionRow } from "../../src/protocol/http.ts";
import { failureWords } from "../failure-words.ts";
import { Link } from "../link.tsx";
import { StatusMark } from "../mark.tsx";
import { sessionPath } from "../address.ts";
import { useDashboard } from "../state/dashboard.ts";
import { markOf, statusWords } from "../status-words.ts";
import { age, wholeTime } from "../time-words.ts";
import { shownTitle } from "../title.ts";

export function SessionRows(props: { current: string | undefined }) {
  const { list } = useDashboard();
  const [failure, setFailure] = createSignal<string>();

  async function loadOlder(): Promise<void> {
    setFailure(undefined);
    try {
      await list.loadOlder();
    } catch (error) {
      setFailure(failureWords(error));
    }
  }

  return (
    <nav class="rows" aria-label="Sessions">
      <Show
        when={list.rows().length > 0}
        fallback={<p class="note">{list.isHere ? "No session yet." : "Loading the sessions…"}</p>}
      >
        <ul>
          <For each={list.rows()}>{(row) => <Row row={row} isCurrent={row.id === props.current} />}</For>
        </ul>
        <Show when={list.hasOlder}>
          <button class="older" type="button" onClick={() => void loadOlder()}>
            Show older sessions
          </button>
        </Show>
        <Show when={failure()}>
          <p class="failure" role="alert">
            {failure()}
          </p>
        </Show>
      </Show>
    </nav>
  );
}

function Row(props: { row: SessionRow; isCurrent: boolean }) {
  const { now } = useDashboard();
  const updated = createMemo(() => age(props.row.updatedAt, now()));
  const words = createMemo(() => statusWords(props.row, now()));
  const isUnread = () => props.row.unread > 0 && !props.isCurrent;
  return (
    <li data-session={props.row.id}>
      <Link
        class="row"
        classList={{ unread: isUnread() }}
        href={sessionPath(props.row.id)}
        aria-current={props.isCurrent ? "page" : undefined}
      >
        <StatusMark mark={markOf({ ...props.row, unread: isUnread() ? props.row.unread : 0 })} />
        <span class="title">
          <Show when={props.row.pinned}>
            <span class="pin" title="Pinned" aria-hidden="true">
              ★{" "}
            </span>
            <span class="unseen">pinned: </span>
          </Show>
          {shownTitle(props.row.title)}
        </span>
        <time datetime={props.row.updatedAt} title={wholeTime(props.row.updatedAt)}>
          {updated()}
        </time>
        <span class="words">
          {words()}
          <Show when={props.row.messages > 0}> · {count(props.row.messages, "message")}</Show>
        </span>
        <Show when={isUnread()}>
          <span class="count">
            {props.row.unread}
            <span class="unseen"> unread</span>
          </span>
        </Show>
      </Link>
    </li>
  );
}

function count(n: number, noun: string): string {
  return `${n.toLocaleString("en")} ${noun}${n === 1 ? "" : "s"}`;
}
