// One session in the list, with the agents that work for it under it.
import { createMemo, createSignal, For, onCleanup, Show } from "solid-js";
import type { SessionRow } from "../../src/protocol/http.ts";
import { sessionPath } from "../address.ts";
import { Link } from "../link.tsx";
import { StatusMark } from "../mark.tsx";
import { useDashboard } from "../state/dashboard.ts";
import { markOf } from "../status-words.ts";
import { asOf, wholeTime } from "../time-words.ts";
import { shownTitle } from "../title.ts";
import { SessionMenu } from "./menu.tsx";
import { rowWords } from "./row-words.ts";

export type RowPlace = {
  /** Whether it is the session on screen. */
  isCurrent: (session: string) => boolean;
  /** Whether Tab stops here; where it stops at one row only, arrows lead on. */
  isTabStop: (session: string) => boolean;
  /** A row goes, and the focus with it. */
  leave?: () => void;
};

/** Of the agents that work for one session; the others are a press away. */
const DELEGATES_SHOWN = 3;

export function Row(props: { row: SessionRow; place: RowPlace }) {
  const { list } = useDashboard();
  const delegates = createMemo(() => list.delegates(props.row.id));
  let item!: HTMLLIElement;
  onCleanup(() => {
    if (item.contains(document.activeElement)) props.place.leave?.();
  });
  return (
    <li ref={item} class="session" data-session={props.row.id}>
      <RowLine row={props.row} place={props.place} delegates={delegates().length} />
      <Show when={delegates().length > 0}>
        <Delegates rows={delegates()} place={props.place} />
      </Show>
    </li>
  );
}

function RowLine(props: { row: SessionRow; place: RowPlace; delegates: number }) {
  const { ageOf, lostAt, today, peek } = useDashboard();
  const isCurrent = () => props.place.isCurrent(props.row.id);
  const updated = createMemo(() => ageOf(props.row.updatedAt));
  const words = createMemo(() => {
    const said = rowWords(props.row, peek(props.row.id), props.delegates, today());
    const at = isAtWork(props.row, props.delegates) ? lostAt() : null;
    return at === null ? said : `${asOf(at, today())}: ${said}`;
  });
  const isDelegate = () => props.row.origin?.kind === "delegation";
  const unread = () => (isCurrent() || isDelegate() ? 0 : props.row.unread);
  const tabindex = () => (props.place.isTabStop(props.row.id) ? 0 : -1);
  return (
    <div class="row-line">
      <Link
        class="row"
        classList={{ unread: unread() > 0 }}
        href={sessionPath(props.row.id)}
        tabindex={tabindex()}
        aria-current={isCurrent() ? "page" : undefined}
      >
        <StatusMark mark={markOf({ ...props.row, unread: unread() })} />
        <span class="title">{shownTitle(props.row.title)}</span>
        <time datetime={props.row.updatedAt} title={wholeTime(props.row.updatedAt)}>
          {updated()}
        </time>
        <span class="words">{words()}</span>
        <Show when={unread() > 0}>
          <span class="count">
            {unread()}
            <span class="unseen"> unread</span>
          </span>
        </Show>
      </Link>
      <SessionMenu id={props.row.id} class="row-menu" tabindex={tabindex()} />
    </div>
  );
}

/** Where the words may be out of date as soon as the server is not heard. */
function isAtWork({ status, attention }: SessionRow, delegates: number): boolean {
  return attention === null && (delegates > 0 || (status !== "idle" && status !== "ended"));
}

function Delegates(props: { rows: readonly SessionRow[]; place: RowPlace }) {
  const [isOpen, setOpen] = createSignal(false);
  /** Whoever is on screen is shown in any case. */
  const shown = () =>
    props.rows.filter((row, n) => isOpen() || n < DELEGATES_SHOWN || props.place.isCurrent(row.id));
  const more = () => props.rows.length - shown().length;
  return (
    <>
      <ul class="below" aria-label="Agents at work for it">
        <For each={shown()}>{(row) => <Row row={row} place={props.place} />}</For>
      </ul>
      <Show when={more() > 0 || isOpen()}>
        <button class="quiet more" type="button" aria-expanded={isOpen()} onClick={() => setOpen(!isOpen())}>
          {isOpen() ? "Fewer" : `${more()} more`}
        </button>
      </Show>
    </>
  );
}
