// What a verb works with on the main thread, when it takes more than one call to the writer.
import type { LogId } from "../store.ts";
import type { Database } from "./database.ts";
import type { WriterThread } from "./writer-thread.ts";

export type Context = {
  writer: WriterThread;
  reader: Database;
  clock: () => number;
  changed: (log: LogId) => void;
};
