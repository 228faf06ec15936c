// What a writing verb works with: the connection of whoever writes, and what is known there of the logs, of their index
// and of what is to be removed.
import type { Database } from "./database.ts";
import { Logs } from "./logs.ts";
import { SearchIndex } from "./search-index.ts";
import { Sweeps } from "./sweep.ts";

export type Writing = { database: Database; logs: Logs; index: SearchIndex; sweeps: Sweeps };

export function writingTo(database: Database): Writing {
  return {
    database,
    logs: new Logs(database),
    index: new SearchIndex(database),
    sweeps: new Sweeps(database),
  };
}
