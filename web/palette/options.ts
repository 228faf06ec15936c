// What the palette offers for what was typed: sessions to jump to, commands that fit, places where it was said.
import type { SearchHit } from "../../src/client/commands.ts";
import type { SessionRow } from "../../src/protocol/http.ts";
import { matches } from "../../src/session/search-text.ts";
import { markOf, statusWords, type Mark } from "../status-words.ts";
import { shownTitle } from "../title.ts";
import type { Command } from "./commands.ts";
import { fit, type Fit, type Span } from "./fuzzy.ts";

export type Option = {
  id: string;
  title: string;
  spans: readonly Span[];
  target: Target;
  mark?: Mark;
  words?: string;
  snippet?: { text: string; spans: readonly Span[] };
  at?: string;
  keys?: string;
};

export type Target =
  | { to: "session"; session: string }
  | { to: "place"; hit: SearchHit }
  | { to: "command"; command: Command }
  | { to: "search"; query: string };

export type Group = { name: string; options: Option[] };

const SESSIONS_MAX = 7;
const TITLES: ReadonlySet<string> = new Set(["session_created", "session_titled"]);
const COMMANDS_MAX = 7;

type Known = {
  rows: readonly SessionRow[];
  /** The session that is on screen: nobody wants to jump there. */
  current: string | undefined;
  commands: readonly Command[];
  found: { query: string; hits: readonly SearchHit[]; next: string | null };
  now: number;
};

export function optionsFor(query: string, known: Known): Group[] {
  const sessions = best(
    known.rows.filter(({ id }) => id !== known.current),
    (row) => fit(shownTitle(row.title), query),
  );
  const commands = best(known.commands, (command) => fitCommand(command, query));
  const isAsked = query.trim() !== "";
  const first = isAsked ? sessions : sessions.toSorted((a, b) => needs(b.of) - needs(a.of));
  const groups = [
    { name: "Sessions", score: sessions[0]?.fit.score ?? 0, options: shownSessions(first, known.now) },
    {
      name: "Commands",
      score: commands[0]?.fit.score ?? 0,
      options: shownCommands(isAsked ? commands.slice(0, COMMANDS_MAX) : commands),
    },
  ].toSorted((a, b) => b.score - a.score);
  const said = isAsked ? [{ name: "What was said", options: shownHits(query, known) }] : [];
  return [...groups, ...said].filter(({ options }) => options.length > 0);
}

type Fitting<T> = { of: T; fit: Fit };

/** Those that fit, the best first and else in their own order. */
function best<T>(all: readonly T[], fitOf: (one: T) => Fit | undefined): Fitting<T>[] {
  return all
    .flatMap((of) => {
      const found = fitOf(of);
      return found ? [{ of, fit: found }] : [];
    })
    .toSorted((a, b) => b.fit.score - a.fit.score);
}

/** A word that only leads to it counts half, and has nothing to mark. */
function fitCommand({ title, also = "" }: Command, query: string): Fit | undefined {
  const own = fit(title, query);
  if (own) return own;
  const other = fit(`${title} ${also}`, query);
  return other && { score: other.score / 2, spans: other.spans.filter(({ to }) => to <= title.length) };
}

function needs({ attention }: SessionRow): number {
  return attention ? 1 : 0;
}

function shownSessions(sessions: Fitting<SessionRow>[], now: number): Option[] {
  return sessions.slice(0, SESSIONS_MAX).map(({ of: row, fit: { spans } }) => ({
    id: `to-${row.id}`,
    title: shownTitle(row.title),
    spans,
    target: { to: "session", session: row.id },
    mark: markOf(row),
    words: statusWords(row, now),
    at: row.updatedAt,
  }));
}

function shownCommands(commands: Fitting<Command>[]): Option[] {
  return commands.map(({ of: command, fit: { spans } }) => ({
    id: `do-${command.id}`,
    title: command.title,
    spans,
    target: { to: "command", command },
    ...(command.keys !== undefined && { keys: command.keys }),
  }));
}

function shownHits(query: string, { rows, found }: Known): Option[] {
  // A title that is in the list is found there.
  const isListed = ({ type, session }: SearchHit) =>
    TITLES.has(type) && rows.some(({ id }) => id === session);
  const said = found.hits.filter((hit) => !isListed(hit));
  const hits = said.map((hit): Option => ({
    id: `at-${hit.session}-${hit.position}`,
    title: shownTitle(hit.title),
    spans: [],
    target: { to: "place", hit },
    snippet: { text: hit.snippet, spans: Array.from(matches(hit.snippet, found.query)) },
    at: hit.at,
  }));
  const all: Option = {
    id: "all-places",
    title: `Search for “${query.trim()}”`,
    spans: [],
    target: { to: "search", query: query.trim() },
  };
  return [...hits, all];
}
