// Above the sessions: search, a new one, what waits for a person in any of them, and what they have used.
import { createMemo, Show } from "solid-js";
import { Icon } from "../icon.tsx";
import { Link } from "../link.tsx";
import { ariaKeys, keyWords } from "../palette/keys.ts";
import { openPalette } from "../palette/open.ts";
import { route } from "../route.ts";
import { useDashboard } from "../state/dashboard.ts";

const SEARCH_KEYS = "mod+k";

export function SidebarNavigation() {
  const { asks, list } = useDashboard();
  const open = createMemo(() => asks.open().length);
  const failed = createMemo(() => list.rows().filter(({ attention }) => attention?.kind === "failed").length);
  return (
    <div class="sidebar-top">
      <div class="find-row">
        <button
          class="find"
          type="button"
          aria-keyshortcuts={ariaKeys(SEARCH_KEYS)}
          onClick={() => openPalette()}
        >
          <Icon name="search" />
          <span class="words">Search or jump to…</span>
          <kbd aria-hidden="true">{keyWords(SEARCH_KEYS)}</kbd>
        </button>
        <Link class="button go sign" href="/new" aria-label="New session" title="New session">
          <Icon name="plus" />
        </Link>
      </div>
      <nav aria-label="Pages">
        <Link class="way" href="/inbox" aria-current={route().page === "inbox" ? "page" : undefined}>
          <Icon name="inbox" />
          <span class="words">Inbox</span>
          <Show when={failed() > 0}>
            <span class="failed">{failed()} failed</span>
          </Show>
          <Show when={open() > 0}>
            <b>
              {open()} {open() === 1 ? "needs" : "need"} you
            </b>
          </Show>
        </Link>
        <Link class="way" href="/insights" aria-current={route().page === "insights" ? "page" : undefined}>
          <Icon name="bars" />
          <span class="words">Insights</span>
        </Link>
      </nav>
    </div>
  );
}
