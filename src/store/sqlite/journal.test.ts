import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openWriter, type Database } from "./database.ts";
import { copyJournal } from "./journal.ts";

let folder: string;
let database: Database;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-journal-"));
  database = openWriter(join(folder, "holdfast.db"));
  database.exec("create table page (bytes blob)");
});
afterEach(() => {
  database.close();
  rmSync(folder, { recursive: true });
});

/** Each row fills a page. */
function fill(pages: number): void {
  for (let n = 0; n < pages; n++) database.run("insert into page values (zeroblob(3500))");
}

function journal(): { pages: number; copied: number } {
  const [, pages = 0, copied = 0] = database.tuple<number[]>("pragma wal_checkpoint(noop)") ?? [];
  return { pages, copied };
}

it("a journal that has grown far is copied into the database, before a commit has to do it", () => {
  while (journal().pages < 1_500) fill(10);
  expect(journal().copied).toBe(0);
  copyJournal(database);
  const { pages, copied } = journal();
  expect(copied).toBe(pages);
});

it("a short one is left as it is", () => {
  fill(10);
  copyJournal(database);
  expect(journal().copied).toBe(0);
});
