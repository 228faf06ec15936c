import { expect, test } from "vitest";
import type { SessionRow } from "../../src/protocol/http.ts";
import { START } from "../../src/session/position.ts";
import { sampleRow } from "../sessions/sample-row.ts";
import { optionsFor } from "./options.ts";

const row = (id: string, title: string, attention: SessionRow["attention"] = null) =>
  sampleRow(id, { title, attention });
const command = (title: string, also = "") => ({ id: title, title, also, run: () => {} });

const known = {
  rows: [
    row("ses_1", "Stopwatch"),
    row("ses_2", "Flaky checkout test"),
    row("ses_3", "Rotate keys", { kind: "approval", count: 1 }),
  ],
  current: "ses_2",
  commands: [command("Stop the turn", "cancel"), command("Settings", "theme")],
  found: { query: "", hits: [], next: null },
  now: 0,
};
const shown = (query: string, change: Partial<typeof known> = {}) =>
  optionsFor(query, { ...known, ...change }).map(({ name, options }) => [
    name,
    options.map(({ title }) => title),
  ]);

test("before anything is typed it offers the sessions, those that need someone first, and every command", () => {
  expect(shown("")).toEqual([
    ["Sessions", ["Rotate keys", "Stopwatch"]],
    ["Commands", ["Stop the turn", "Settings"]],
  ]);
});

test("what fits better comes first, whichever group it is in, and what was said comes last", () => {
  expect(shown("turn").map(([name]) => name)).toEqual(["Commands", "What was said"]);
  expect(shown("rot")[0]).toEqual(["Sessions", ["Rotate keys"]]);
  expect(shown("cancel")[0]).toEqual(["Commands", ["Stop the turn"]]);
});

test("a title that is found among the sessions is not offered a second time", () => {
  const titled = {
    title: "Rotate keys",
    position: START,
    at: known.rows[0]!.updatedAt,
    snippet: "Rotate keys",
  };
  const hits = [
    { ...titled, session: "ses_3", type: "session_created" },
    { ...titled, session: "ses_older", type: "session_created" },
  ];
  const groups = optionsFor("rotate", { ...known, found: { query: "rotate", hits, next: null } });
  expect(groups.map(({ options }) => options.map(({ title }) => title))).toEqual([
    ["Rotate keys"],
    ["Rotate keys", "Search for “rotate”"],
  ]);
});

test("a hit is offered with its words marked, and all of them behind it", () => {
  const hit = {
    session: "ses_9",
    title: null,
    position: START,
    at: "2026-01-01T00:00:00.000Z",
    type: "input_admitted",
    snippet: "the heron waits",
  };
  const groups = optionsFor("heron", { ...known, found: { query: "heron", hits: [hit], next: null } });
  const options = groups.find(({ name }) => name === "What was said")?.options ?? [];
  expect(options.map(({ title }) => title)).toEqual(["Untitled", "Search for “heron”"]);
  expect(options[0]?.snippet?.spans).toEqual([{ from: 4, to: 9 }]);
});
