// What a writing verb works with, in the writer's thread: the one connection that writes, and what it knows of
// the logs and of their index.
import type { Database } from "./database.ts";
import type { Logs } from "./logs.ts";
import type { SearchIndex } from "./search-index.ts";

export type Writing = { database: Database; logs: Logs; index: SearchIndex };
