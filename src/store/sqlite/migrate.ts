// Brings the file up to this version: forward only, each migration in its own transaction. Killed in the middle, it
// leaves whole migrations behind, and the next start goes on from there.
import { StorageError } from "../store.ts";
import type { Database } from "./database.ts";
import { sql as begin } from "./migrations/001-begin.ts";
import { sql as askAndRule } from "./migrations/002-ask-and-rule.ts";
import { sql as rest } from "./migrations/003-rest.ts";
import { sql as process } from "./migrations/004-process.ts";
import { sql as chain } from "./migrations/005-chain.ts";
import { sql as sweep } from "./migrations/006-sweep.ts";
import { sql as packedView } from "./migrations/007-packed-view.ts";
import { sql as deed } from "./migrations/008-deed.ts";
import { sql as wait } from "./migrations/009-wait.ts";
import { sql as namedFiles } from "./migrations/010-named-files.ts";
import { sql as usage } from "./migrations/011-usage.ts";
import { sql as foldedWords } from "./migrations/012-folded-words.ts";

export type Migration = {
  number: number;
  name: string;
  /** Programs from before it must not open the file any more. */
  breaking: boolean;
  sql: string;
};

export const MIGRATIONS: readonly Migration[] = [
  { number: 1, name: "begin", breaking: true, sql: begin },
  { number: 2, name: "ask_and_rule", breaking: true, sql: askAndRule },
  { number: 3, name: "rest", breaking: true, sql: rest },
  { number: 4, name: "process", breaking: true, sql: process },
  { number: 5, name: "chain", breaking: false, sql: chain },
  { number: 6, name: "sweep", breaking: false, sql: sweep },
  { number: 7, name: "packed_view", breaking: true, sql: packedView },
  { number: 8, name: "deed", breaking: false, sql: deed },
  { number: 9, name: "wait", breaking: false, sql: wait },
  { number: 10, name: "named_files", breaking: true, sql: namedFiles },
  { number: 11, name: "usage", breaking: false, sql: usage },
  { number: 12, name: "folded_words", breaking: true, sql: foldedWords },
];

export function migrate(database: Database, migrations = MIGRATIONS): void {
  database.exec(
    "create table if not exists migration (number integer primary key, name text not null, breaking integer not null) strict",
  );
  refuseNewer(database, migrations);
  const applied = new Set(
    database.tuples<[number]>("select number from migration").map(([number]) => number),
  );
  for (const migration of migrations) if (!applied.has(migration.number)) apply(database, migration);
}

export function refuseNewer(database: Database, migrations = MIGRATIONS): void {
  const known = Math.max(0, ...migrations.map(({ number }) => number));
  const newer = database.get<{ number: number; name: string }>(
    "select number, name from migration where number > ? and breaking order by number limit 1",
    known,
  );
  if (newer)
    throw new StorageError(
      "broken",
      `this database belongs to a newer Holdfast (migration ${newer.number}, "${newer.name}"; this one knows ` +
        `${known}): start that version, or restore a backup from before`,
    );
}

function apply(database: Database, { number, name, breaking, sql }: Migration): void {
  database.exec("begin immediate");
  try {
    database.exec(sql);
    database.run(
      "insert into migration (number, name, breaking) values (?, ?, ?)",
      number,
      name,
      breaking ? 1 : 0,
    );
    database.exec("commit");
  } catch (error) {
    if (database.isTransaction) database.exec("rollback");
    throw error;
  }
}
