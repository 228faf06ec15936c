// The binary form of arrays, as the server understands it.
import pg from "pg";
import { afterAll, expect, it } from "vitest";
import { useDatabase } from "../../../test/postgres.ts";
import { keepMessages } from "./kept-message.ts";
import { bigintArray, doubleArray, textArray, type WireArray } from "./wire.ts";

const usual = new pg.Client({ connectionString: await useDatabase() });
const keeping = new pg.Client({ connectionString: await useDatabase() });
keepMessages(keeping.connection, 1);
for (const client of [usual, keeping]) await client.connect();
afterAll(() => Promise.all([usual.end(), keeping.end()]));

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

it("values of every kind arrive in the message that a connection keeps, after larger ones too", async () => {
  const large = "漢".repeat(1_000_000);
  const ask = async (text: string) => {
    const { rows } = await keeping.query<object>({
      name: "kinds",
      text: "select $1::text as text, $2::bigint as number, $3::boolean as truth, $4::text as nothing, $5::bytea as bytes, $6::text[] as texts",
      values: [text, 42, true, null, Buffer.from([0, 255]), textArray([text, null])],
    });
    return rows[0];
  };
  for (const text of ["a", large, "", "b"])
    expect(await ask(text)).toEqual({
      text,
      number: "42",
      truth: true,
      nothing: null,
      bytes: Buffer.from([0, 255]),
      texts: [text, null],
    });
});

it("a statement without values, and one that is refused, leave that connection usable", async () => {
  await expect(keeping.query({ text: "select $1::bigint", values: ["no number"] })).rejects.toThrow("bigint");
  await expect(keeping.query({ name: "none", text: "select 1 as one" })).resolves.toMatchObject({
    rows: [{ one: 1 }],
  });
});

it("a connection lets go of a statement's values once they are written", async () => {
  const values = [textArray(["a"])];
  const answered = keeping.query({ name: "let_go", text: "select $1::text[]", values });
  expect(values).toEqual([]);
  await answered;
});

/** The same by both, as pg and as the kept message write it. */
async function asJson(type: string, array: WireArray): Promise<unknown> {
  const [first, second] = await Promise.all(
    [usual, keeping].map(async (client) => {
      const { rows } = await client.query<{ json: unknown }>({
        text: `select to_json($1::${type}) as json`,
        values: [array],
      });
      return rows[0]?.json;
    }),
  );
  expect(second).toEqual(first);
  return first;
}
