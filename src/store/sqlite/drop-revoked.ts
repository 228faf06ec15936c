// A backup knows nothing of what was revoked after it was made: restored as it is, it would let those in again who were
// shut out, and agents do what is no longer allowed. The store that it replaces does know.
import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { Database, openReader } from "./database.ts";

/** `revoked`: how many were left out; null when there was nothing to tell it by. `valid`: how many are left. */
export type Granted = { revoked: number | null; valid: number };
/** Those who are let in, and what was allowed for good. */
export type Grants = { tokens: Granted; rules: Granted };

/** Of the copy that is about to take the place of `replaced`; `store` is the id that it had as a backup. */
export function dropRevoked(file: string, store: string, replaced: string): Grants {
  const before = readBefore(replaced);
  const database = new Database(new DatabaseSync(file));
  try {
    database.exec("pragma synchronous = full; begin immediate");
    // Browsers have to log in anew in any case, as their cookie is named after the store: only a thief had use for these.
    database.exec("delete from login; delete from login_link");
    const isSame =
      before !== undefined &&
      (before.store === store ||
        (["token", "session"] as const).some((table) =>
          idsOf(database, table).some((id) => before[table].has(id)),
        ));
    // What another store never had was not revoked there.
    const drop = (table: "token" | "rule"): Granted => {
      const ids = idsOf(database, table);
      const revoked = isSame ? ids.filter((id) => !before[table].has(id)) : [];
      for (const id of revoked) database.run(`delete from ${table} where id = ?`, id);
      return { revoked: isSame ? revoked.length : null, valid: ids.length - revoked.length };
    };
    const grants = { tokens: drop("token"), rules: drop("rule") };
    database.exec("commit");
    return grants;
  } finally {
    database.close();
  }
}

type Table = "token" | "session" | "rule";
type Before = Record<Table, Set<string>> & { store: string | undefined };

/** Undefined also when it can't be read: that may be why it is replaced, and whoever does so is told that nothing was compared. */
function readBefore(file: string): Before | undefined {
  if (!existsSync(file)) return undefined;
  try {
    const database = openReader(file);
    try {
      const [store] = database.tuple<[string]>("select value from meta where name = 'store'") ?? [];
      const [token, session, rule] = (["token", "session", "rule"] as const).map(
        (table) => new Set(idsOf(database, table)),
      ) as [Set<string>, Set<string>, Set<string>]; // one each
      return { store, token, session, rule };
    } finally {
      database.close();
    }
  } catch {
    return undefined;
  }
}

/** One of the first versions had no rules yet. */
function idsOf(database: Database, table: Table): string[] {
  if (!database.get("select 1 from sqlite_schema where name = ?", table)) return [];
  return database.all<{ id: string }>(`select id from ${table}`).map(({ id }) => id);
}
