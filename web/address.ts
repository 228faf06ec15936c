// What each address of the page means.
import { isPosition, type Position } from "../src/session/position.ts";
import { parseRange, USUAL_RANGE, type Range } from "./insights/days.ts";

export type Route =
  | { page: "sessions" }
  | { page: "new" }
  | { page: "inbox" }
  | { page: "archived" }
  | { page: "ask"; ask: string }
  /** `at` is a place in the log to show, as a search hit names it. */
  | { page: "session"; session: string; at: Position | null }
  | { page: "search"; query: string }
  /** How many days of it. */
  | { page: "insights"; days: Range }
  | { page: "settings" }
  | { page: "login"; secret: string }
  | { page: "unknown" };

export function parseAddress({
  pathname,
  search,
  hash,
}: Record<"pathname" | "search" | "hash", string>): Route {
  const fragment = hash.slice(1);
  if (pathname === "/") return { page: "sessions" };
  if (pathname === "/new") return { page: "new" };
  if (pathname === "/search") return { page: "search", query: new URLSearchParams(search).get("q") ?? "" };
  if (pathname === "/insights")
    return { page: "insights", days: parseRange(new URLSearchParams(search).get("days")) };
  if (pathname === "/settings") return { page: "settings" };
  if (pathname === "/login") return { page: "login", secret: fragment };
  if (pathname === "/inbox") return { page: "inbox" };
  if (pathname === "/archived") return { page: "archived" };
  const ask = /^\/asks\/([^/]+)$/.exec(pathname)?.[1];
  if (ask !== undefined) return { page: "ask", ask };
  const session = /^\/sessions\/([^/]+)$/.exec(pathname)?.[1];
  if (session !== undefined) return { page: "session", session, at: isPosition(fragment) ? fragment : null };
  return { page: "unknown" };
}

export function askPath(ask: string): string {
  return `/asks/${encodeURIComponent(ask)}`;
}

export function sessionPath(session: string, at?: Position): string {
  return `/sessions/${encodeURIComponent(session)}${at === undefined ? "" : `#${at}`}`;
}

export function searchPath(query: string): string {
  return query === "" ? "/search" : `/search?${new URLSearchParams({ q: query })}`;
}

export function insightsPath(days: Range): string {
  return days === USUAL_RANGE ? "/insights" : `/insights?days=${days}`;
}
