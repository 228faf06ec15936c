// Words are found as soon as they are written, and no less once the duty has sorted them into the index.
import pg from "pg";
import { afterAll, expect, it } from "vitest";
import { byOwner, newSession, openNode } from "../../../test/open-postgres.ts";
import { useDatabase } from "../../../test/postgres.ts";
import { MESSAGE_CHARS } from "../../session/search-text.ts";
import { storedText } from "../long-text.ts";
import { WORD_MAX_CHARS } from "../words.ts";

const database = await useDatabase();
const raw = new pg.Client({ connectionString: database });
await raw.connect();
afterAll(() => raw.end());

const LONG = "x".repeat(WORD_MAX_CHARS + 50);
const TEXTS = [
  "The zebra's stripes, in the file src/zebra_crossing.ts",
  "  …  ",
  `A word without end: ${LONG}`,
  "Žebřík, ŽEBŘÍK and žebřík",
];
const QUERIES = ["zebra", "strip", "zebra_crossing", "zebrik", LONG, "the file", "not there"];

it("a search finds the same before and after its words were sorted in", async () => {
  const store = await openNode(database);
  const session = await newSession(store);
  for (const [n, text] of TEXTS.entries())
    await store.append(
      session,
      [{ type: "input_admitted", data: { input: `inp_${n}`, kind: "prompt", text } }],
      byOwner,
    );
  const found = async () =>
    Promise.all(QUERIES.map(async (q) => (await store.search({ q, limit: 10 })).items.length));
  expect(await found()).toEqual([1, 1, 1, 1, 1, 1, 0]);
  await expect.poll(() => countOf("search_new")).toBe(0);
  expect(await countOf("search")).toBe(TEXTS.length);
  expect(await found()).toEqual([1, 1, 1, 1, 1, 1, 0]);
});

it("the longest text that is searched fits the index, and a few of them are sorted in one after the other", async () => {
  const store = await openNode(database);
  const session = await newSession(store);
  // Three bytes for each character, and no word twice: as much as can be in a text of its length.
  const words = Array.from({ length: MESSAGE_CHARS / 4 }, (_, n) => wordOf(n)).join(" ");
  const COUNT = 8;
  for (let n = 0; n < COUNT; n++) {
    const text = await storedText(store, session, `${n} ${words}`);
    await store.append(
      session,
      [{ type: "input_admitted", data: { input: `inp_long${n}`, kind: "prompt", text } }],
      byOwner,
    );
  }
  const last = wordOf(MESSAGE_CHARS / 4 - 3);
  expect((await store.search({ q: last, limit: 10 })).items).toHaveLength(COUNT);
  await expect.poll(() => countOf("search_new"), { timeout: 30_000 }).toBe(0);
  expect((await store.search({ q: last, limit: 10 })).items).toHaveLength(COUNT);
});

function wordOf(n: number): string {
  const sign = (part: number) => String.fromCharCode(0x4e00 + part);
  return sign(n % 64) + sign(Math.floor(n / 64) % 64) + sign(Math.floor(n / 4096));
}

async function countOf(table: "search" | "search_new"): Promise<number> {
  const { rows } = await raw.query<{ count: string }>(`select count(*) from ${table}`);
  return Number(rows[0]?.count);
}
