import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { StorageError } from "../store.ts";
import { Database } from "./database.ts";
import { Group, type Reply } from "./group.ts";
import { writingTo } from "./writing.ts";

function makeGroup(admit: (verb: string) => void = () => {}) {
  const database = new Database(new DatabaseSync(":memory:"));
  database.exec("create table t (x text primary key); create table event (id integer primary key)");
  const failed: StorageError[] = [];
  const writing = writingTo(database);
  const group = new Group({
    writing,
    verbs: {
      insert: ({ database: db }, x: string) => db.changes("insert into t (x) values (?)", x),
      insertThenThrow({ database: db }, x: string) {
        db.run("insert into t (x) values (?)", x);
        throw new TypeError("a mistake of ours");
      },
      insertThenFail({ database: db }, kind: StorageError["kind"]) {
        db.run("insert into t (x) values ('half')");
        throw new StorageError(kind, `the disk said ${kind}`);
      },
      dropAll({ database: db }) {
        db.run("rollback"); // as SQLite does on a full disk
        throw new StorageError("full", "the disk is full");
      },
    },
    admit,
    failed: (error) => failed.push(error),
  });
  const stored = () => database.tuples<[string]>("select x from t order by x").map(([x]) => x);
  return { group, stored, failed, database };
}

const values = (replies: Reply[]) => replies.map(([value, failure]) => failure?.message ?? value);

it("what waits is one commit, answered in its order", () => {
  const { group, stored } = makeGroup();
  for (const x of ["a", "b", "c"]) group.add(["insert", x]);
  expect(group.size).toBe(3);
  expect(values(group.commit())).toEqual([1, 1, 1]);
  expect(stored()).toEqual(["a", "b", "c"]);
  expect(group.size).toBe(0);
});

it("a verb that throws harms no other verb of its group, and leaves nothing of itself", () => {
  const { group, stored, failed } = makeGroup();
  group.add(["insert", "a"]);
  group.add(["insertThenThrow", "b"]);
  group.add(["insert", "c"]);
  group.add(["insert", "a"]); // a constraint that fails is a mistake too
  expect(values(group.commit())).toEqual([1, "a mistake of ours", 1, "UNIQUE constraint failed: t.x"]);
  expect(stored()).toEqual(["a", "c"]);
  expect(failed).toEqual([]);
  group.add(["insert", "d"]);
  expect(values(group.commit())).toEqual([1]);
});

it("a storage error is told, and the others are tried alone", () => {
  const { group, stored, failed } = makeGroup();
  group.add(["insert", "a"]);
  group.add(["insertThenFail", "full"]);
  group.add(["insert", "c"]);
  expect(values(group.commit())).toEqual([1, "the disk said full", 1]);
  expect(stored()).toEqual(["a", "c"]);
  expect(failed.map(({ kind }) => kind)).toEqual(["full"]);
});

it("once SQLite itself has dropped the transaction, nothing is carried out outside of one", () => {
  const { group, stored } = makeGroup();
  group.add(["insert", "a"]);
  group.add(["dropAll"]);
  group.add(["insert", "c"]);
  expect(stored()).toEqual([]);
  expect(values(group.commit())).toEqual([1, "the disk is full", 1]);
  expect(stored()).toEqual(["a", "c"]);
});

it("after a broken disk nothing is tried again: not even what had been carried out (invariant 10)", () => {
  let broken = false;
  const { group, stored, failed, database } = makeGroup(() => {
    if (broken) throw new StorageError("broken", "no more");
  });
  failed.push = (...errors) => {
    broken = true;
    return errors.length;
  };
  group.add(["insert", "a"]);
  group.add(["insertThenFail", "broken"]);
  group.add(["insert", "c"]);
  expect(values(group.commit())).toEqual(["no more", "no more", "no more"]);
  expect(stored()).toEqual([]);
  expect(database.isTransaction).toBe(false);
});

it("a commit that fails is answered as failed, whatever the verbs said", () => {
  const { group, stored, database } = makeGroup();
  database.exec(
    "pragma foreign_keys = on; create table child (p text references t (x) deferrable initially deferred)",
  );
  group.add(["insert", "a"]);
  database.exec("insert into child values ('missing')"); // found only by the commit
  group.add(["insert", "b"]);
  expect(values(group.commit())).toEqual([1, 1]); // each alone: the child was rolled back with the group
  expect(stored()).toEqual(["a", "b"]);
  expect(database.tuples("select * from child")).toEqual([]);
});
