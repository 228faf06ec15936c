import pg from "pg";
import { afterAll, expect, it } from "vitest";
import { openNode, owner } from "../../../test/open-postgres.ts";
import { useDatabase } from "../../../test/postgres.ts";
import { formatPosition } from "../../session/position.ts";

const database = await useDatabase();
const other = new pg.Client({ connectionString: database });
await other.connect();
afterAll(() => other.end());

it("what a node left of an import is tidied by another once it was silent for long, and not before", async () => {
  const [store, tidying] = [await openNode(database), await openNode(database)];
  const into = await store.beginImport("ses_i");
  for (let n = 1; n <= 300; n++)
    await into.addEvent({
      position: formatPosition(n, 0),
      at: "2026-01-02T03:04:05.678Z",
      by: owner,
      type: n === 1 ? "session_created" : "session_titled",
      data: n === 1 ? { profile: "default" } : { title: "heron" },
    });
  await tidying.tidy();
  expect(await left()).toEqual([250, 249]);
  await other.query("update purge set copying_until = 1");
  await tidying.tidy();
  expect(await left()).toEqual([0, 0]);
  await expect(into.finish({ from: "ses_a" }, owner)).rejects.toMatchObject({ kind: "busy" });
  await into.abandon();
  expect(await left()).toEqual([0, 0]);
});

async function left(): Promise<number[]> {
  const { rows } = await other.query<{ facts: string; words: string }>(
    "select (select count(*) from event) as facts, (select count(*) from search_new) + (select count(*) from search) as words",
  );
  return rows.flatMap(({ facts, words }) => [Number(facts), Number(words)]);
}
