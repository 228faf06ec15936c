import type { Timer } from "../store.ts";
import type { Database } from "./database.ts";
import type { Writing } from "./writing.ts";

export function setTimer({ database }: Writing, { key, log, dueAt }: Timer): void {
  database.run(
    "insert into timer (key, log, due_at) values (?, ?, ?) on conflict do update set log = excluded.log, due_at = excluded.due_at",
    key,
    log,
    Date.parse(dueAt),
  );
}

/** Whether it was there: of several that clear it, one does. */
export function clearTimer({ database }: Writing, key: string): boolean {
  return database.changes("delete from timer where key = ?", key) > 0;
}

/** They stay until they are cleared: whoever acts on one may die over it. */
export function dueTimers(database: Database, limit: number, now: number): Timer[] {
  return database
    .all<{ key: string; log: string; due_at: number }>(
      "select key, log, due_at from timer where due_at <= ? order by due_at, key limit ?",
      now,
      limit,
    )
    .map(({ key, log, due_at }) => ({ key, log, dueAt: new Date(due_at).toISOString() }));
}
