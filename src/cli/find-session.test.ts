import { expect, test } from "vitest";
import type { Client, SessionRow } from "../client/commands.ts";
import { ProblemError } from "../client/errors.ts";
import { problem } from "../protocol/problem.ts";
import { endingOf } from "./exit.ts";
import { findSession } from "./find-session.ts";

type Kept = { id: string; title: string | null; updatedAt: string; archived?: boolean; ended?: boolean };
const id = (rest: string) => `ses_${rest.padEnd(22, "0")}`;
const kept: Kept[] = [
  { id: id("01a1"), title: "Red build", updatedAt: "2026-01-01" },
  { id: id("01a2"), title: "Red build again", updatedAt: "2026-01-03" },
  { id: id("01b1"), title: "Twin", updatedAt: "2026-01-02" },
  { id: id("01b2"), title: "twin", updatedAt: "2026-01-02" },
  { id: id("02c1"), title: null, updatedAt: "2026-01-01" },
  { id: id("03d1"), title: "Put away", updatedAt: "2026-02-01", archived: true },
  { id: id("04e1"), title: "Over", updatedAt: "2026-01-01", ended: true },
];

/** Two rows a page, oldest first, as no server would: nothing may depend on the order. */
const client = {
  sessions: ({ id: begin, archived = false, after }: { id?: string; archived?: boolean; after?: string }) => {
    const rows = kept.filter((row) =>
      begin === undefined ? (row.archived ?? false) === archived && !row.ended : row.id.startsWith(begin),
    );
    const from = Number(after ?? 0);
    const next = from + 2 < rows.length ? String(from + 2) : null;
    return Promise.resolve({ items: rows.slice(from, from + 2) as SessionRow[], next });
  },
  session: (wanted: string) => {
    const row = kept.find((each) => each.id === wanted);
    return row ? Promise.resolve(row) : Promise.reject(new ProblemError(problem("not_found", "no")));
  },
} as unknown as Client;

async function find(name: string) {
  try {
    return (await findSession(client, name)).id;
  } catch (error) {
    return endingOf(error);
  }
}

test.each([
  ["a whole id", id("02c1"), id("02c1")],
  ["a unique beginning of an id", "ses_01a2", id("01a2")],
  ["a title, though another one begins so", "Red build", id("01a1")],
  ["a title in another case", "red BUILD again", id("01a2")],
  ["a unique beginning of a title", "red build ag", id("01a2")],
  ["the id of an archived one", "ses_03", id("03d1")],
  ["the id of one that has ended", "ses_04", id("04e1")],
  ["the title of an archived one", "put away", id("03d1")],
])("a session is found by %s", async (_, name, found) => {
  expect(await find(name)).toBe(found);
});

test("an ambiguous name is a conflict that lists who could be meant", async () => {
  expect(await find("ses_01b")).toMatchObject({
    code: 4,
    line: `"ses_01b" could be any of: ${id("01b1")} Twin, ${id("01b2")} twin`,
    problem: {
      candidates: [
        { id: id("01b1"), title: "Twin" },
        { id: id("01b2"), title: "twin" },
      ],
    },
  });
  expect(await find("TWIN")).toMatchObject({ code: 4 });
});

test("a name that no session has is not found", async () => {
  for (const name of ["ses_09", id("09"), "Green build"]) expect(await find(name)).toMatchObject({ code: 3 });
});

test("latest is the one that changed last, of those in sight", async () => {
  const newestFirst = {
    ...client,
    sessions: () => Promise.resolve({ items: kept.slice(0, 5) as SessionRow[], next: null }),
  };
  expect((await findSession(newestFirst as Client, "latest")).id).toBe(id("01a2"));
  const none = { ...client, sessions: () => Promise.resolve({ items: [], next: null }) };
  await expect(findSession(none as unknown as Client, "latest")).rejects.toThrow("holdfast send new");
});
