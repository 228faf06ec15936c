// What can be done from anywhere: go somewhere, choose how the page looks, be told what keys there are.
import type { Client } from "../../src/client/commands.ts";
import { sessionPath } from "../address.ts";
import { navigate, route } from "../route.ts";
import { importSession } from "../sessions/import.ts";
import type { SessionList } from "../state/session-list.ts";
import { setTheme, theme, THEMES } from "../theme.ts";
import { addCommands } from "./commands.ts";
import { askedPalette, openPalette } from "./open.ts";
import { openShortcuts } from "./shortcuts.tsx";

export function addPageCommands(client: Client, list: SessionList): void {
  const page = () => route().page;
  addCommands([
    {
      id: "palette",
      title: "Search or jump to",
      keys: "mod+k",
      when: () => !askedPalette(),
      run: () => openPalette(),
    },
    {
      id: "go.new",
      title: "New session",
      also: "begin start create chat",
      keys: "mod+shift+o",
      run: () => navigate("/new"),
    },
    {
      id: "session.import",
      title: "Import a session…",
      also: "export jsonl json lines file bring in upload restore",
      run: () => importSession(client),
    },
    {
      id: "go.needs-you",
      title: "Go to the next session that needs you",
      also: "approval question failed attention jump",
      keys: "mod+j",
      when: () => nextInNeed(list) !== undefined,
      run: () => {
        const next = nextInNeed(list);
        if (next !== undefined) navigate(sessionPath(next));
      },
    },
    {
      id: "go.sessions",
      title: "Go to the sessions",
      also: "home list",
      when: () => page() !== "sessions",
      run: () => navigate("/"),
    },
    {
      id: "go.inbox",
      title: "Go to the inbox",
      also: "asks approvals questions",
      keys: "mod+i",
      when: () => page() !== "inbox",
      run: () => navigate("/inbox"),
    },
    {
      id: "go.search",
      title: "Search what was said",
      also: "find full text",
      when: () => page() !== "search",
      run: () => navigate("/search"),
    },
    {
      id: "go.insights",
      title: "Insights",
      also: "usage tokens cost money spend days models statistics",
      when: () => page() !== "insights",
      run: () => navigate("/insights"),
    },
    {
      id: "go.settings",
      title: "Settings",
      also: "preferences notifications devices tokens rules about log out",
      keys: "mod+,",
      when: () => page() !== "settings",
      run: () => navigate("/settings"),
    },
    ...THEMES.map((name) => ({
      id: `theme.${name}`,
      title: name === "system" ? "Use the system's theme" : `Use the ${name} theme`,
      also: "colour color appearance mode",
      when: () => theme() !== name,
      run: () => setTheme(name),
    })),
    {
      id: "help.keys",
      title: "Keyboard shortcuts",
      also: "help keys",
      keys: "mod+/",
      run: openShortcuts,
    },
  ]);
}

/** In the order of the list, round and round from the one on screen. */
function nextInNeed(list: SessionList): string | undefined {
  const here = route();
  const current = here.page === "session" ? here.session : undefined;
  const rows = list.rows();
  const at = rows.findIndex(({ id }) => id === current);
  const ahead = [...rows.slice(at + 1), ...rows.slice(0, Math.max(at, 0))];
  return ahead.find(({ attention }) => attention !== null)?.id;
}
