// The left of the page, and on a phone the page itself: ways to everything, and the sessions.
import { Show } from "solid-js";
import { Brand } from "../brand.tsx";
import { ConnectionPill } from "../connection-pill.tsx";
import { Link } from "../link.tsx";
import { isNarrow } from "../media.ts";
import { SidebarFoot } from "./foot.tsx";
import { SidebarNavigation } from "./navigation.tsx";
import { SessionRows } from "./rows.tsx";

export function Sidebar(props: { current: string | undefined }) {
  return (
    <aside class="sidebar" aria-label="Sidebar">
      {/* Where it is the whole page, it has the page's heading. */}
      <Show when={isNarrow()}>
        <h1 class="unseen">Sessions</h1>
      </Show>
      <header>
        <Link class="home" href="/" aria-label="Holdfast, all sessions">
          <Brand />
        </Link>
        <ConnectionPill />
      </header>
      <SidebarNavigation />
      <SessionRows current={props.current} />
      <SidebarFoot />
    </aside>
  );
}
