import type { Timer } from "../store.ts";
import { decidingMs } from "./clock.ts";
import type { Context } from "./context.ts";

export async function setTimer({ database }: Context, { key, log, dueAt }: Timer): Promise<void> {
  await database.query({
    text: `insert into timer (key, log, due_at) values ($1, $2, $3)
      on conflict (key) do update set log = $2, due_at = $3`,
    values: [key, log, Date.parse(dueAt)],
  });
}

export async function clearTimer({ database }: Context, key: string): Promise<boolean> {
  const cleared = await database.query({
    text: "delete from timer where key = $1 returning key",
    values: [key],
  });
  return cleared.length > 0;
}

/** They stay until they are cleared: whoever acts on one may die over it. */
export async function dueTimers({ database, now }: Context, limit: number): Promise<Timer[]> {
  const due = await database.query<{ key: string; log: string; due_at: number }>({
    text: `select key, log, due_at from timer where due_at <= ${decidingMs("$1")} order by due_at, key limit $2`,
    values: [now(), limit],
  });
  return due.map(({ due_at, ...timer }) => ({ ...timer, dueAt: new Date(due_at).toISOString() }));
}
