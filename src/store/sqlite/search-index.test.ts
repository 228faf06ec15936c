import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import type { LongText } from "../../session/event.ts";
import { storedText } from "../long-text.ts";
import type { Store } from "../store.ts";
import { prepareBatch } from "../batch.ts";
import { Database, openWriter } from "./database.ts";
import { Group } from "./group.ts";
import { migrate } from "./migrate.ts";
import { packBatch } from "./packed-batch.ts";
import { readIndexed } from "./search-index.ts";
import { verbs } from "./verbs.ts";
import { makeFolder, openStore, owner } from "../../../test/sqlite/open-store.ts";
import { writingTo } from "./writing.ts";

const byOwner = { by: "client", author: owner } as const;
const wordless = { type: "queue_released", data: {} } as const;

const prompt = (input: string, text: LongText) =>
  ({ type: "input_admitted", data: { input, kind: "prompt", text } }) as const;

const found = async (store: Store, word: string) =>
  (await store.search({ q: word, limit: 1_000 })).items.map(({ session }) => session);

it("what was said before a crash is found after it, sorted in or not", async () => {
  const file = join(makeFolder(), "holdfast.db");
  const store = await openStore(file);
  await store.createSession({ id: "ses_a", profile: "p" }, owner);
  await store.append("ses_a", [prompt("inp_1", "an early bird")], byOwner);
  expect(await found(store, "bird")).toEqual(["ses_a"]);
  await store.append("ses_a", [prompt("inp_2", "a late bird")], byOwner);
  await store.close(); // which sorts nothing in, as a crash would not
  const again = await openStore(file);
  expect(await found(again, "bird")).toEqual(["ses_a", "ses_a"]);
});

it("many texts, and many events without any, are sorted in by themselves", async () => {
  const file = join(makeFolder(), "holdfast.db");
  const store = await openStore(file);
  await store.createSession({ id: "ses_a", profile: "p" }, owner);
  const database = new Database(new DatabaseSync(file, { readOnly: true }));
  const prompts = Array.from({ length: 600 }, (_, n) => prompt(`inp_${n}`, "one of many"));
  await store.append("ses_a", prompts, byOwner);
  await expect.poll(() => readIndexed(database)).toBe(601);
  await store.append(
    "ses_a",
    Array.from({ length: 5_000 }, () => wordless),
    byOwner,
  );
  await expect.poll(() => readIndexed(database)).toBe(5_601);
  database.close();
  expect(await found(store, "many")).toHaveLength(600);
});

it("a few long texts are sorted in by themselves, so that no search waits for many", async () => {
  const file = join(makeFolder(), "holdfast.db");
  const store = await openStore(file);
  await store.createSession({ id: "ses_a", profile: "p" }, owner);
  await store.search({ q: "nothing", limit: 1 }); // from here on it is known what waits
  const database = new Database(new DatabaseSync(file, { readOnly: true }));
  for (let n = 1; n <= 4; n++) {
    const text = await storedText(store, "ses_a", `${"hay ".repeat(20_000)}needle`);
    await store.append("ses_a", [prompt(`inp_${n}`, text)], byOwner);
  }
  await expect.poll(() => readIndexed(database)).toBe(5);
  database.close();
  expect(await found(store, "needle")).toHaveLength(4);
});

it("what was deleted before it was sorted in never is", async () => {
  const file = join(makeFolder(), "holdfast.db");
  const store = await openStore(file);
  for (const id of ["ses_a", "ses_b"]) {
    await store.createSession({ id, profile: "p" }, owner);
    await store.append(id, [prompt("inp_1", "a needle")], byOwner);
  }
  await store.deleteSession("ses_a", { force: true });
  const database = new Database(new DatabaseSync(file, { readOnly: true }));
  await expect.poll(() => database.tuple("select count(*) from event")).toEqual([2]);
  expect(await found(store, "needle")).toEqual(["ses_b"]);
  expect(database.tuples("select rowid from search where search match 'needle'")).toEqual([[4]]);
  database.close();
});

it("what is said after the last events were deleted is found, though a crash came between", async () => {
  const file = join(makeFolder(), "holdfast.db");
  const store = await openStore(file);
  await store.createSession({ id: "ses_a", profile: "p" }, owner);
  await store.createSession({ id: "ses_b", profile: "p" }, owner);
  await store.append(
    "ses_b",
    Array.from({ length: 20 }, (_, n) => prompt(`inp_${n}`, "hay")),
    byOwner,
  );
  expect(await found(store, "hay")).toHaveLength(20);
  await store.deleteSession("ses_b", { force: true });
  const database = new Database(new DatabaseSync(file, { readOnly: true }));
  await expect.poll(() => database.tuple("select count(*) from event")).toEqual([1]);
  database.close();
  await store.close();

  const second = await openStore(file);
  await second.append("ses_a", [prompt("inp_1", "a needle")], byOwner);
  await second.close();
  const third = await openStore(file);
  expect(await found(third, "needle")).toEqual(["ses_a"]);
  expect(await found(third, "hay")).toEqual([]);
});

it("a write that was rolled back leaves no words behind, and costs no other its own", () => {
  const database = openWriter(join(makeFolder(), "holdfast.db"));
  migrate(database);
  const writing = writingTo(database);
  const saying = (text: string) =>
    packBatch(prepareBatch([prompt("inp_1", text)], "2026-11-15T09:00:00.000Z", owner), 0);
  const mistake = () => {
    verbs.createLog(writing, "ses_b", "session", saying("a pin"));
    throw new TypeError("a mistake of ours");
  };
  const group = new Group({ writing, verbs: { ...verbs, mistake }, admit: () => {}, failed: () => {} });
  group.add(["sortWords"]);
  group.commit();
  group.add(["createLog", "ses_a", "session", saying("a needle")]);
  group.add(["mistake"]);
  group.add(["sortWords"]);
  expect(group.commit().map(([, failure]) => failure?.message)).toEqual([
    undefined,
    "a mistake of ours",
    undefined,
  ]);
  const found = (word: string) => database.tuples("select rowid from search where search match ?", word);
  expect([found("needle"), found("pin")]).toEqual([[[1]], []]);
  expect(readIndexed(database)).toBe(1);
  database.close();
});

it("words are sorted in a few at a time, but never pile up, and a search finds all of them", async () => {
  const file = join(makeFolder(), "holdfast.db");
  const store = await openStore(file);
  await store.createSession({ id: "ses_a", profile: "p" }, owner);
  const database = new Database(new DatabaseSync(file, { readOnly: true }));
  const say = (count: number) =>
    store.append(
      "ses_a",
      Array.from({ length: count }, (_, n) => prompt(`inp_${n}`, `many ${"words ".repeat(30)}`)),
      byOwner,
    );
  for (let n = 0; n < 40; n++) await say(15);
  await store.append("ses_a", [wordless], byOwner); // answered once the others' share was sorted in
  const few = readIndexed(database);
  expect(few).toBeGreaterThan(1);
  expect(few).toBeLessThan(600);
  await say(1_000); // so many at once have themselves and the others sorted in
  await store.append("ses_a", [wordless], byOwner);
  expect(readIndexed(database)).toBe(1_602);
  expect(await found(store, "many")).toHaveLength(1_000); // at most
  database.close();
});

it("what was said before words were folded is found once the file is open, whatever else in it is damaged", async () => {
  const file = join(makeFolder(), "holdfast.db");
  const store = await openStore(file);
  for (const id of ["ses_a", "ses_b"]) await store.createSession({ id, profile: "p" }, owner);
  await store.append("ses_b", [prompt("inp_1", "torn")], byOwner);
  await store.append("ses_a", [prompt("inp_1", "ёлка")], byOwner);
  await store.append(
    "ses_a",
    [prompt("inp_2", await storedText(store, "ses_a", longText("Ελλάδα")))],
    byOwner,
  );
  await store.close();
  const database = asBeforeFolding(file);
  database.run("update event set text = substr(text, 1, 100) where id = 3");
  database.run(`update event set text = '{"type":"step_completed"}' where id = 2`);
  database.close();

  const again = await openStore(file);
  for (const word of ["елка", "ελλαδα"]) expect(await found(again, word)).toEqual(["ses_a"]);
  expect(await found(again, "torn")).toEqual([]);
  await again.append("ses_a", [prompt("inp_3", "Ёлка")], byOwner);
  expect(await found(again, "елка")).toEqual(["ses_a", "ses_a"]);
});

it("an index that is begun anew is made by itself, and in parts, however long the log is", async () => {
  const file = join(makeFolder(), "holdfast.db");
  const store = await openStore(file);
  await store.createSession({ id: "ses_a", profile: "p" }, owner);
  const prompts = Array.from({ length: 10_000 }, (_, n) => prompt(`inp_${n}`, `ёлка ${n}`));
  await store.append("ses_a", prompts, byOwner);
  await store.close();
  const database = asBeforeFolding(file);
  migrate(database);
  const { index } = writingTo(database);
  database.exec("begin immediate");
  expect(index.sortIn()).toBe(true); // which leaves off here
  database.exec("commit");
  const part = readIndexed(database);
  expect(part).toBeGreaterThan(4_000);
  expect(part).toBeLessThan(5_000);

  const again = await openStore(file);
  await expect.poll(() => readIndexed(database)).toBe(10_001);
  database.close();
  expect(await found(again, "елка")).toHaveLength(1_000); // at most
  expect(await found(again, "елка 9999")).toHaveLength(1);
  expect(await found(again, "елка 77")).toHaveLength(111); // each once: itself, and 770 to 779, and 7700 to 7799
});

const longText = (word: string) => `${"hay ".repeat(20_000)}${word}`;

/** The file as one of before has left it, all sorted in. */
function asBeforeFolding(file: string): Database {
  const database = openWriter(file);
  database.exec(`drop table search; delete from migration where number >= 12`);
  database.exec(
    `create virtual table search using fts5 (
      text, content = '', contentless_delete = 1, detail = none, tokenize = "unicode61 remove_diacritics 2 tokenchars '_'"
    );
    insert into search (rowid, text) select id, 'old' from event;
    update meta set value = (select max(id) from event) where name = 'indexed'`,
  );
  return database;
}
