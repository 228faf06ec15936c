// The left of the page, and on a phone the page itself: search, and the sessions.
import { createSignal, Show } from "solid-js";
import { Brand } from "../brand.tsx";
import { ConnectionPill } from "../connection-pill.tsx";
import { Link } from "../link.tsx";
import { SearchBox, SearchHits } from "./search.tsx";
import { SessionRows } from "./rows.tsx";
import { SidebarFoot } from "./foot.tsx";

export function Sidebar(props: { current: string | undefined }) {
  const [query, setQuery] = createSignal("");
  return (
    <aside class="sidebar" aria-label="Sessions">
      <header>
        <Link class="home" href="/" aria-label="Holdfast, all sessions">
          <Brand />
        </Link>
        <ConnectionPill />
      </header>
      <div class="tools-row">
        <SearchBox query={query()} setQuery={setQuery} />
        <Link class="button go" href="/new">
          New session
        </Link>
      </div>
      <Show when={query().trim() !== ""} fallback={<SessionRows current={props.current} />}>
        <SearchHits query={query().trim()} />
      </Show>
      <SidebarFoot />
    </aside>
  );
}
