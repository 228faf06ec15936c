import type { Command, Done } from "../store.ts";
import { once } from "./command.ts";
import type { Writing } from "./writing.ts";

/** A person's order of things, not history: the log stays as it is. */
export function arrangeSession(
  writing: Writing,
  id: string,
  { pinned, archived }: { pinned?: boolean; archived?: boolean },
  now: number,
  command: Command | undefined,
): Done {
  return once<Done>(writing, command, now, () => {
    const arranged = writing.database.changes(
      "update session set pinned = coalesce(?, pinned), archived = coalesce(?, archived) where id = ?",
      pinned === undefined ? null : Number(pinned),
      archived === undefined ? null : Number(archived),
      id,
    );
    return arranged > 0 ? { ok: true } : { ok: false, code: "not_found" };
  });
}
