// The left of the page, and on a phone the page itself: ways to everything, and the sessions.
import { Brand } from "../brand.tsx";
import { ConnectionPill } from "../connection-pill.tsx";
import { Link } from "../link.tsx";
import { SidebarFoot } from "./foot.tsx";
import { SidebarNavigation } from "./navigation.tsx";
import { SessionRows } from "./rows.tsx";

export function Sidebar(props: { current: string | undefined }) {
  return (
    <aside class="sidebar" aria-label="Sessions">
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
