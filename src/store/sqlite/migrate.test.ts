import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { StorageError } from "../store.ts";
import { Database } from "./database.ts";
import { MIGRATIONS, migrate, type Migration } from "./migrate.ts";
import { makeFolder, openStore } from "../../../test/sqlite/open-store.ts";

const tables = (database: Database) =>
  database.tuples<[string]>("select name from sqlite_schema where type = 'table'").map(([name]) => name);

it("a database of a newer version is refused by name, and left as it is", { timeout: 20_000 }, async () => {
  const file = join(makeFolder(), "holdfast.db");
  await (await openStore(file)).close();
  const next = MIGRATIONS.length + 1;
  later(file, { number: next, name: "threads", breaking: 1 });
  const refused = await openStore(file).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(StorageError);
  expect(refused).toMatchObject({ kind: "broken" });
  expect(String(refused)).toContain(
    `newer Holdfast (migration ${next}, "threads"; this one knows ${MIGRATIONS.length})`,
  );
});

it("a newer version's change that harms nobody is no reason to refuse", { timeout: 20_000 }, async () => {
  const file = join(makeFolder(), "holdfast.db");
  const first = await openStore(file);
  await first.close();
  later(file, { number: MIGRATIONS.length + 1, name: "an index", breaking: 0 });
  expect((await openStore(file)).id).toBe(first.id);
});

it("a migration that is interrupted leaves nothing of itself, and is done again", () => {
  const database = new Database(new DatabaseSync(":memory:"));
  const second = (sql: string): Migration[] => [
    ...MIGRATIONS,
    { number: MIGRATIONS.length + 1, name: "second", breaking: false, sql },
  ];
  expect(() =>
    migrate(database, second("create table a (x); create table b (nonsense nonsense nonsense(")),
  ).toThrow("incomplete input");
  expect(tables(database)).toContain("event");
  expect(tables(database)).not.toContain("a");
  migrate(database, second("create table a (x); create table b (y)"));
  expect(tables(database)).toEqual(expect.arrayContaining(["a", "b"]));
  migrate(database, second("create table a (x); create table b (y)"));
});

it("files from before it was known who names them are kept by the logs whose facts do", () => {
  const database = new Database(new DatabaseSync(":memory:"));
  const before = MIGRATIONS.filter(({ number }) => number < 10);
  migrate(database, before);
  const files = ["fil_named", "fil_torn", "fil_said", "fil_nobodys"];
  for (const [n, id] of files.entries())
    database.run("insert into file (id, name, type, bytes, blob, at) values (?, 'a', 'b', 1, ?, 5)", id, n);
  const event = (log: number, text: string) =>
    database.run(
      "insert into event (block, log, seq, sub, reach, crc, text) values (0, ?, 1, 0, 0, 0, ?)",
      log,
      text,
    );
  const named = (id: string) => JSON.stringify({ data: { attachments: [{ file: id, bytes: 1 }, "odd"] } });
  event(1, named("fil_named"));
  event(2, named("fil_torn").slice(0, -3));
  event(3, JSON.stringify({ data: { text: named("fil_said") } }));
  migrate(database);
  expect(database.tuples("select log, file from log_file order by log")).toEqual([
    [1, "fil_named"],
    [2, "fil_torn"],
  ]);
  expect(database.tuples("select distinct look_at from file")).toEqual([[5 + 7 * 24 * 3_600_000]]);
});

it("a file that is no database is refused as broken", { timeout: 20_000 }, async () => {
  const folder = makeFolder();
  const { writeFileSync } = await import("node:fs");
  writeFileSync(join(folder, "holdfast.db"), "this is a letter to my aunt, not a database ".repeat(200));
  await expect(openStore(join(folder, "holdfast.db"))).rejects.toMatchObject({ kind: "broken" });
});

function later(
  file: string,
  { number, name, breaking }: { number: number; name: string; breaking: number },
): void {
  const database = new DatabaseSync(file);
  database
    .prepare("insert into migration (number, name, breaking) values (?, ?, ?)")
    .run(number, name, breaking);
  database.close();
}
