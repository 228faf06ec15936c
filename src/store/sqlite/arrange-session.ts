import type { Store } from "../store.ts";
import type { Writing } from "./writing.ts";

/** A person's order of things, not history: the log stays as it is. */
export function arrangeSession(
  { database }: Writing,
  id: string,
  { pinned, archived }: { pinned?: boolean; archived?: boolean },
): Awaited<ReturnType<Store["arrangeSession"]>> {
  const arranged = database.run(
    "update session set pinned = coalesce(?, pinned), archived = coalesce(?, archived) where id = ?",
    pinned === undefined ? null : Number(pinned),
    archived === undefined ? null : Number(archived),
    id,
  );
  return arranged > 0 ? { ok: true } : { ok: false, code: "not_found" };
}
