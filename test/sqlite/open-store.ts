// For tests: a store in a folder of its own, closed and removed after the test.
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { makeIds } from "../../src/session/ids.ts";
import type { Store } from "../../src/store/store.ts";
import { openSqliteStore, type SqliteOptions } from "../../src/store/sqlite/store.ts";

export const ids = makeIds(Date.now, randomBytes);
export const owner = { person: "owner" };

export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-sqlite-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export async function openStore(file: string, options: Partial<SqliteOptions> = {}): Promise<Store> {
  const store = await openSqliteStore({
    file,
    node: ids.next("nod"),
    host: "test-host",
    clock: Date.now,
    ids,
    ...options,
  });
  onTestFinished(() => store.close());
  return store;
}
