// Every view of the page, each with what must be on it before its picture is taken.
import type { Page } from "playwright-core";
import type { SessionName } from "./pictured-sessions.ts";

export type PicturedView = {
  name: string;
  path: (sessions: Record<SessionName, string>) => string;
  /** What to do before it is there. */
  prepare?: (page: Page) => Promise<void>;
  shows: string | RegExp;
  isLoggedOut?: boolean;
};

export const PICTURED_VIEWS: PicturedView[] = [
  {
    name: "session",
    path: ({ report }) => `/sessions/${report}`,
    shows: "I am looking at",
  },
  {
    name: "panel",
    path: ({ report }) => `/sessions/${report}`,
    prepare: (page) =>
      page
        .getByRole("button", { name: /About this session/ })
        .first()
        .click(),
    shows: "5173",
  },
  { name: "queue", path: ({ flaky }) => `/sessions/${flaky}`, shows: "and open an issue" },
  { name: "away", path: ({ notes }) => `/sessions/${notes}`, shows: /While you were away|New: / },
  { name: "list", path: () => "/", shows: "Flaky checkout test" },
  { name: "new", path: () => "/new", shows: "New session" },
  { name: "inbox", path: () => "/inbox", shows: "bin/keys rotate" },
  { name: "ask", path: () => "/asks/ask_keys", shows: "bin/keys rotate" },
  {
    name: "palette",
    path: ({ report }) => `/sessions/${report}`,
    async prepare(page) {
      await page.getByText("I am looking at").waitFor();
      await page.keyboard.press("Control+k");
      await page.keyboard.type("report");
    },
    shows: /was skipped twice/,
  },
  { name: "search", path: () => "/search?q=reports", shows: "places" },
  { name: "insights", path: () => "/insights", shows: "Tokens by day" },
  { name: "settings", path: () => "/settings", shows: "Appearance" },
  { name: "login", path: () => "/", shows: "holdfast login", isLoggedOut: true },
];
