// Search reaches into what was said: each hit leads to its place in its session.
import { createEffect, createSignal, For, Match, onCleanup, Show, Switch } from "solid-js";
import type { SearchHit } from "../../src/client/commands.ts";
import { failureWords } from "../failure-words.ts";
import { Link } from "../link.tsx";
import { sessionPath } from "../address.ts";
import { useDashboard } from "../state/dashboard.ts";
import { age } from "../time-words.ts";
import { shownTitle } from "../title.ts";

/** Long enough that a word in the middle of being typed is not looked up letter by letter. */
const PAUSE_MS = 180;
const HITS_MAX = 30;

export function SearchBox(props: { query: string; setQuery: (query: string) => void }) {
  return (
    <input
      class="find"
      type="search"
      placeholder="Search"
      aria-label="Search all sessions"
      autocomplete="off"
      maxlength={500}
      value={props.query}
      onInput={(event) => props.setQuery(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === "Escape") props.setQuery("");
      }}
    />
  );
}

type Found = { hits: readonly SearchHit[] } | { failure: string };

export function SearchHits(props: { query: string }) {
  const { client } = useDashboard();
  const [found, setFound] = createSignal<Found>();

  createEffect(() => {
    const q = props.query;
    const asked = new AbortController();
    const timer = setTimeout(() => void look(q, asked.signal), PAUSE_MS);
    onCleanup(() => {
      clearTimeout(timer);
      asked.abort();
    });
  });

  async function look(q: string, signal: AbortSignal): Promise<void> {
    try {
      setFound({ hits: (await client.search({ q, limit: HITS_MAX }, signal)).items });
    } catch (error) {
      if (!signal.aborted) setFound({ failure: failureWords(error) });
    }
  }

  const hits = () => {
    const now = found();
    return now && "hits" in now ? now.hits : [];
  };
  const failure = () => {
    const now = found();
    return now && "failure" in now ? now.failure : undefined;
  };
  return (
    <section class="rows" aria-label="Search results">
      <p class="note" role="status">
        <Switch fallback={`${hits().length} ${hits().length === 1 ? "place" : "places"}`}>
          <Match when={!found()}>Searching…</Match>
          <Match when={failure()}>{failure()}</Match>
          <Match when={hits().length === 0}>Nothing has these words.</Match>
          <Match when={hits().length === HITS_MAX}>The first {HITS_MAX} places</Match>
        </Switch>
      </p>
      <Show when={hits().length > 0}>
        <ul>
          <For each={hits()}>{(hit) => <Hit hit={hit} />}</For>
        </ul>
      </Show>
    </section>
  );
}

function Hit(props: { hit: SearchHit }) {
  const { now } = useDashboard();
  return (
    <li>
      <Link class="row hit" href={sessionPath(props.hit.session, props.hit.position)}>
        <span class="title">{shownTitle(props.hit.title)}</span>
        <time datetime={props.hit.at}>{age(props.hit.at, now())}</time>
        <span class="words">{props.hit.snippet}</span>
      </Link>
    </li>
  );
}
