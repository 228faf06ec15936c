// Which store: PostgreSQL when a database is named, else the file in HOLDFAST_HOME. Only the one that is used is loaded.
import { join } from "node:path";
import type { Settings } from "./config/settings.ts";
import type { Ids } from "./session/ids.ts";
import type { Store } from "./store/store.ts";

export type Opening = {
  node: string;
  host: string;
  clock: () => number;
  ids: Ids;
  log?: { warn(fields: object, message: string): void };
};

export async function openStore({ home, databaseUrl, nodeUrl }: Settings, opening: Opening): Promise<Store> {
  if (databaseUrl !== undefined) {
    const { openPostgresStore } = await import("./store/postgres/store.ts");
    const baseUrl = nodeUrl === undefined ? {} : { baseUrl: nodeUrl };
    return openPostgresStore({ database: databaseUrl, ...baseUrl, ...opening });
  }
  const { openSqliteStore } = await import("./store/sqlite/store.ts");
  return openSqliteStore({ file: join(home, "holdfast.db"), ...opening });
}
