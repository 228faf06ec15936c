// Which page the address names, within the frame that all of them share.
import { createMemo, Match, Show, Switch } from "solid-js";
import { AskPage } from "./asks/ask-page.tsx";
import { ConfirmDialog } from "./confirm.tsx";
import { nameDocument } from "./document-title.ts";
import { Inbox } from "./inbox/inbox.tsx";
import { InsightsPage } from "./insights/page.tsx";
import { goToLastPlace, keepLastPlace } from "./last-place.ts";
import { LoginByLink } from "./login/by-link.tsx";
import { LoginGuard } from "./login/guard.tsx";
import { Notices } from "./notices/notices.tsx";
import { addPageCommands } from "./palette/page-commands.ts";
import { Palette } from "./palette/palette.tsx";
import { addSessionCommands } from "./palette/session-commands.ts";
import { Shortcuts } from "./palette/shortcuts.tsx";
import { route } from "./route.ts";
import { SearchPage } from "./search/page.tsx";
import { NewSession } from "./session/new-session.tsx";
import { SessionPane } from "./session/pane.tsx";
import { SettingsPage } from "./settings/page.tsx";
import { ArchivedSessions } from "./sessions/archived.tsx";
import { Sidebar } from "./sessions/sidebar.tsx";
import { createDashboard, DashboardContext, useDashboard } from "./state/dashboard.ts";
import { tellNews } from "./toasts/tell-news.ts";
import { Toasts } from "./toasts/toasts.tsx";
import { UnknownPage } from "./unknown.tsx";

export function App() {
  // An object, so that a new link that is pasted over an old one counts as new.
  const login = createMemo(() => {
    const now = route();
    return now.page === "login" ? now : undefined;
  });
  return (
    <Show when={login()} keyed fallback={<Dashboard />}>
      {({ secret }) => <LoginByLink secret={secret} />}
    </Show>
  );
}

function Dashboard() {
  const dashboard = createDashboard();
  goToLastPlace();
  return (
    <DashboardContext.Provider value={dashboard}>
      <LoginGuard>
        <Notices />
        <Panes />
      </LoginGuard>
    </DashboardContext.Provider>
  );
}

function Panes() {
  const dashboard = useDashboard();
  nameDocument(dashboard.asks);
  tellNews(dashboard);
  keepLastPlace();
  addSessionCommands(dashboard);
  addPageCommands(dashboard.client, dashboard.list);
  // Memos, so that moving within a session does not make its pane anew.
  const page = createMemo(() => route().page);
  const session = createMemo(() => {
    const now = route();
    return now.page === "session" ? now.session : undefined;
  });
  const ask = createMemo(() => {
    const now = route();
    return now.page === "ask" ? now.ask : undefined;
  });
  return (
    <div class="panes" data-page={page()} data-lost={dashboard.lostAt() === null ? undefined : ""}>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <Sidebar current={session()} />
      <main id="main" tabindex="-1">
        <Switch>
          <Match when={session()} keyed>
            {(id) => <SessionPane id={id} />}
          </Match>
          <Match when={page() === "sessions" || page() === "new"}>
            {/* Whoever has just come wants to write; whoever is in the list stays there. */}
            <NewSession hasFocus={page() === "new" || document.activeElement === document.body} />
          </Match>
          <Match when={page() === "search"}>
            <SearchPage />
          </Match>
          <Match when={page() === "settings"}>
            <SettingsPage />
          </Match>
          <Match when={page() === "insights"}>
            <InsightsPage />
          </Match>
          <Match when={page() === "inbox"}>
            <Inbox />
          </Match>
          <Match when={page() === "archived"}>
            <ArchivedSessions />
          </Match>
          <Match when={ask()} keyed>
            {(id) => <AskPage id={id} />}
          </Match>
          <Match when={page() === "unknown"}>
            <UnknownPage />
          </Match>
        </Switch>
      </main>
      <ConfirmDialog />
      <Toasts />
      <Palette />
      <Shortcuts />
    </div>
  );
}
