// A backup knows nothing of what was revoked after it was made: restored as it is, it would let those in again who were
// shut out. The store that it replaces does know.
import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { Database, openReader } from "./database.ts";

/** `revoked`: how many tokens were left out; null when there was nothing to tell it by. `valid`: how many are left. */
export type Tokens = { revoked: number | null; valid: number };

/** Of the copy that is about to take the place of `replaced`; `store` is the id that it had as a backup. */
export function dropRevoked(file: string, store: string, replaced: string): Tokens {
  const before = readBefore(replaced);
  const database = new Database(new DatabaseSync(file));
  try {
    database.exec("pragma synchronous = full; begin immediate");
    // Browsers have to log in anew in any case, as their cookie is named after the store: only a thief had use for these.
    database.exec("delete from login; delete from login_link");
    const tokens = idsOf(database, "token");
    const isSame =
      before !== undefined &&
      (before.store === store ||
        tokens.some((id) => before.tokens.has(id)) ||
        idsOf(database, "session").some((id) => before.sessions.has(id)));
    // What another store never had was not revoked there.
    const revoked = isSame ? tokens.filter((id) => !before.tokens.has(id)) : [];
    for (const id of revoked) database.run("delete from token where id = ?", id);
    database.exec("commit");
    return { revoked: isSame ? revoked.length : null, valid: tokens.length - revoked.length };
  } finally {
    database.close();
  }
}

type Before = { store: string | undefined; tokens: Set<string>; sessions: Set<string> };

/** Undefined also when it can't be read: that may be why it is replaced, and whoever does so is told that nothing was compared. */
function readBefore(file: string): Before | undefined {
  if (!existsSync(file)) return undefined;
  try {
    const database = openReader(file);
    try {
      const [store] = database.tuple<[string]>("select value from meta where name = 'store'") ?? [];
      const [tokens, sessions] = [idsOf(database, "token"), idsOf(database, "session")];
      return { store, tokens: new Set(tokens), sessions: new Set(sessions) };
    } finally {
      database.close();
    }
  } catch {
    return undefined;
  }
}

function idsOf(database: Database, table: "token" | "session"): string[] {
  return database.all<{ id: string }>(`select id from ${table}`).map(({ id }) => id);
}
