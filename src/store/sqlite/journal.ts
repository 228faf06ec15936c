// The journal is copied into the database after the answers: it takes 10 ms and more, for which no reader shall wait.
import type { Database } from "./database.ts";

/** SQLite's usual 1,000 are written over by the same few pages while agents speak, and would be copied as often. */
const DUE_PAGES = 1_500;

/** When it has grown so far. Throws StorageError; what is in the journal stays there then. */
export function copyJournal(database: Database): void {
  const [, pages, copied] = database.tuple<[number, number, number]>("pragma wal_checkpoint(noop)") ?? [
    0, 0, 0,
  ];
  if (pages - copied >= DUE_PAGES) database.exec("pragma wal_checkpoint(passive)");
}
