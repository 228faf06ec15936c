// Both stores as a row wants them: with a real clock, closed with the row.
import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { makeIds } from "../src/session/ids.ts";
import type { Store } from "../src/store/store.ts";

const ids = makeIds(Date.now, randomBytes);

export async function openSqlite(stack: AsyncDisposableStack, file: string): Promise<Store> {
  const { openSqliteStore } = await import("../src/store/sqlite/store.ts");
  return closedWith(stack, await openSqliteStore({ file, ...opening() }));
}

export async function openPostgres(stack: AsyncDisposableStack, database: string): Promise<Store> {
  const { openPostgresStore } = await import("../src/store/postgres/store.ts");
  return closedWith(stack, await openPostgresStore({ database, ...opening() }));
}

function opening() {
  return { node: ids.next("nod"), host: hostname(), clock: Date.now, ids };
}

function closedWith(stack: AsyncDisposableStack, store: Store): Store {
  stack.defer(() => store.close());
  return store;
}
