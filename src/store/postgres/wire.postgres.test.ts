// The binary form of arrays, as the server understands it.
import pg from "pg";
import { afterAll, expect, it } from "vitest";
import { useDatabase } from "../../../test/postgres.ts";
import { bigintArray, doubleArray, textArray } from "./wire.ts";

const client = new pg.Client({ connectionString: await useDatabase() });
await client.connect();
afterAll(() => client.end());

it("texts arrive as they are, with nulls apart from empty ones and NULs as marks", async () => {
  const texts = [
    "",
    "a",
    null,
    'quote " back \\ brace {a,b} NULL',
    "🪢 čeština",
    "x".repeat(100_000),
    "nul \0 nul",
  ];
  expect(await asJson("text[]", textArray(texts))).toEqual(
    texts.map((text) => text?.replace("\0", "\uFFFD") ?? null),
  );
});

it("texts of any script arrive as they are, in any order", async () => {
  const texts = [
    "a",
    "漢".repeat(5_000),
    null,
    "é".repeat(3),
    "🪢".repeat(4_000),
    "",
    "b".repeat(5_000),
    "漢é",
  ];
  expect(await asJson("text[]", textArray(texts))).toEqual(texts);
});

it("numbers arrive as they are, up to the largest that we use", async () => {
  const numbers = [0, 1, -1, 2 ** 31, 2 ** 32 - 1, 2 ** 32, -(2 ** 40), Number.MAX_SAFE_INTEGER, null];
  expect(await asJson("bigint[]", bigintArray(numbers))).toEqual(numbers);
});

it("fractions arrive as they are", async () => {
  const numbers = [0, 0.1, -1.5e-9, Number.MAX_VALUE, Number.MIN_VALUE];
  expect(await asJson("double precision[]", doubleArray(numbers))).toEqual(numbers);
});

it("an array of nothing is empty", async () => {
  expect(await asJson("text[]", textArray([]))).toEqual([]);
  expect(await asJson("bigint[]", bigintArray([]))).toEqual([]);
});

async function asJson(type: string, array: Buffer): Promise<unknown> {
  const { rows } = await client.query<{ json: unknown }>({
    text: `select to_json($1::${type}) as json`,
    values: [array],
  });
  return rows[0]?.json;
}
