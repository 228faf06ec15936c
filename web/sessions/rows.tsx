// The sessions, under a few headings. Tab stops at one row; arrows, j and k lead to the others, Enter opens.
import { createMemo, createSelector, createSignal, For, Show } from "solid-js";
import type { SessionRow } from "../../src/protocol/http.ts";
import { Link } from "../link.tsx";
import { useDashboard } from "../state/dashboard.ts";
import { underHeadings, type Heading } from "./groups.ts";
import { OlderRows } from "./older-rows.tsx";
import { Row, type RowPlace } from "./row.tsx";
import { rowByKey } from "./row-keys.ts";

export function SessionRows(props: { current: string | undefined }) {
  const { list, today, deletions } = useDashboard();
  const isShown = (id: string) => list.row(id)?.archived === false && !deletions.isDoomed(id);
  let rows!: HTMLElement;
  const items = createMemo(() => underHeadings(list.rows(), today()));
  const [focused, setFocused] = createSignal<string>();
  /** The row last gone to, else the one on screen, else the first. */
  const tabStop = createMemo(() => {
    const wanted = [focused(), props.current].find((id) => id !== undefined && isShown(id));
    return wanted ?? firstOf(items())?.id;
  });
  const isTabStop = createSelector(tabStop);
  const isCurrent = createSelector(() => props.current);
  const place: RowPlace = {
    isCurrent: (session) => isCurrent(session),
    isTabStop: (session) => isTabStop(session),
    leave: () => queueMicrotask(() => rows.querySelector<HTMLElement>('a.row[tabindex="0"]')?.focus()),
  };
  return (
    <nav
      ref={rows}
      class="rows"
      aria-label="Sessions"
      onKeyDown={(event) => {
        const next = rowByKey(event);
        if (!next) return;
        event.preventDefault();
        next.focus();
      }}
      onFocusIn={({ target }) =>
        setFocused(target.closest<HTMLElement>("[data-session]")?.dataset["session"])
      }
    >
      <Show
        when={items().length > 0}
        fallback={<p class="note">{list.isHere ? "No session yet." : "Loading the sessions…"}</p>}
      >
        <ul>
          <For each={items()}>
            {(item) =>
              typeof item === "string" ? (
                <li class="group">{item}</li>
              ) : (
                <Row row={list.row(item.id) ?? item} place={place} />
              )
            }
          </For>
        </ul>
        <Show when={list.hasOlder}>
          <OlderRows load={() => list.loadOlder()} />
        </Show>
      </Show>
      <Show when={list.isHere}>
        <Link class="archive-link" href="/archived">
          Archived sessions
        </Link>
      </Show>
    </nav>
  );
}

function firstOf(items: readonly (Heading | SessionRow)[]): SessionRow | undefined {
  return items.find((item) => typeof item !== "string");
}
