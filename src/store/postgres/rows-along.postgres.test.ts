import pg from "pg";
import { afterAll, expect, it } from "vitest";
import { useDatabase } from "../../../test/postgres.ts";
import { rowsAlong } from "./rows-along.ts";
import { bigintArray, doubleArray, textArray } from "./wire.ts";

const client = new pg.Client({ connectionString: await useDatabase() });
await client.connect();
afterAll(() => client.end());

it("each row has its own of every column, in the order in which they were given", async () => {
  let count = 0;
  const rows = rowsAlong((type) => `$${++count}::${type}`, {
    each: ["id", "text"],
    numbers: ["first", "second"],
    amounts: ["cost"],
    texts: ["name", "note"],
  });
  const values = [
    textArray(["b", "a", "c"]),
    bigintArray([1, 10, 2, 20, 3, -1]),
    doubleArray([0.5, 0, 1.5]),
    textArray(["one", null, ""]),
    textArray([null, "two", null]),
  ];
  const { rows: found } = await client.query<{ json: unknown }>({
    text: `select to_json(along) as json from ${rows} as along order by nth`,
    values,
  });
  expect(found.map(({ json }) => json)).toEqual([
    { id: "b", nth: 1, first: 1, second: 10, cost: 0.5, name: "one", note: null },
    { id: "a", nth: 2, first: 2, second: 20, cost: 0, name: null, note: "two" },
    { id: "c", nth: 3, first: 3, second: -1, cost: 1.5, name: "", note: null },
  ]);
});
