// `/search?q=…`: every place where something was said, newest first; each leads to where it stands in its session.
import { createEffect, createMemo, createSignal, For, Match, on, onMount, Show, Switch } from "solid-js";
import type { SearchHit } from "../../src/client/commands.ts";
import { matches } from "../../src/session/search-text.ts";
import { searchPath, sessionPath } from "../address.ts";
import { nameSubject } from "../document-title.ts";
import { Icon } from "../icon.tsx";
import { Link } from "../link.tsx";
import { PageHead } from "../page-head.tsx";
import { navigate, route } from "../route.ts";
import { useDashboard } from "../state/dashboard.ts";
import { wholeTime } from "../time-words.ts";
import { shownTitle } from "../title.ts";
import { createFinder } from "./found.ts";
import { Marked } from "./marked.tsx";

const PAGE_HITS = 30;
const QUERY_MAX_CHARS = 500;

/** What a hit is, in a word. */
const KINDS: Record<string, string> = {
  session_created: "title",
  session_titled: "title",
  input_admitted: "prompt",
  input_edited: "prompt",
  step_completed: "answer",
  step_aborted: "answer",
  turn_ended: "answer",
  context_compacted: "summary",
  notice: "notice",
  tool_finished: "tool output",
  task_finished: "task",
  delegate_returned: "subagent",
};

export function SearchPage() {
  const { client } = useDashboard();
  const asked = () => {
    const here = route();
    return here.page === "search" ? here.query : "";
  };
  const [query, setQuery] = createSignal(asked());
  const finder = createFinder(client, query, PAGE_HITS);
  nameSubject(() => (query().trim() === "" ? "Search" : `“${query().trim()}”`));
  let field!: HTMLInputElement;
  onMount(() => field.focus());
  createEffect(on(asked, setQuery, { defer: true })); // Back and Forward

  function search(text: string): void {
    setQuery(text);
    navigate(searchPath(text.trim()), { replace: true });
  }

  const hits = () => finder.found().hits;
  return (
    <>
      <PageHead title="Search" />
      <div class="page search">
        <form
          role="search"
          onSubmit={(event) => {
            event.preventDefault();
            field.blur(); // a phone's keyboard would cover what was found
          }}
        >
          <Icon name="search" />
          <input
            ref={field}
            type="search"
            aria-label="Search all sessions"
            placeholder="Words, all of which must be there"
            autocomplete="off"
            enterkeyhint="search"
            maxlength={QUERY_MAX_CHARS}
            value={query()}
            onInput={(event) => search(event.currentTarget.value)}
          />
          <Show when={query() !== ""}>
            <button
              class="quiet sign"
              type="button"
              aria-label="Clear"
              title="Clear"
              onClick={() => {
                search("");
                field.focus();
              }}
            >
              <Icon name="close" />
            </button>
          </Show>
        </form>
        <p class="note" role="status">
          <Switch fallback={countWords(hits().length, finder.found().next !== null)}>
            <Match when={finder.found().failure}>{(failure) => failure()}</Match>
            <Match when={finder.isSearching() && hits().length === 0}>Searching…</Match>
            <Match when={finder.found().query === ""}>
              Messages, tool output and titles of all sessions. The last word may be the beginning of one.
            </Match>
            <Match when={hits().length === 0}>
              Nothing has all of these words. Try fewer of them, or the beginning of one.
            </Match>
          </Switch>
        </p>
        <Show when={finder.found().failure}>
          <button type="button" onClick={() => finder.again()}>
            Try again
          </button>
        </Show>
        <ol class="hits" aria-label="Search results">
          <For each={hits()}>{(hit) => <Hit hit={hit} query={finder.found().query} />}</For>
        </ol>
        <Show when={finder.found().next}>
          <button
            class="more"
            type="button"
            disabled={finder.isSearching()}
            onClick={() => void finder.more()}
          >
            {finder.isSearching() ? "Loading…" : "Show more"}
          </button>
        </Show>
      </div>
    </>
  );
}

function Hit(props: { hit: SearchHit; query: string }) {
  const { ageOf } = useDashboard();
  const spans = createMemo(() => Array.from(matches(props.hit.snippet, props.query)));
  return (
    <li>
      <Link class="hit" href={sessionPath(props.hit.session, props.hit.position)}>
        <span class="title">{shownTitle(props.hit.title)}</span>
        <span class="kind">{KINDS[props.hit.type] ?? ""}</span>
        <time datetime={props.hit.at} title={wholeTime(props.hit.at)}>
          {ageOf(props.hit.at)}
        </time>
        <span class="snippet">
          <Marked text={props.hit.snippet} spans={spans()} />
        </span>
      </Link>
    </li>
  );
}

function countWords(count: number, hasMore: boolean): string {
  if (hasMore) return `The newest ${count} places`;
  return count === 1 ? "1 place" : `${count} places`;
}
