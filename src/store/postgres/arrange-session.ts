import { NOW_S } from "./clock.ts";
import type { Context } from "./context.ts";

export async function arrangeSession(
  { database, changed }: Context,
  id: string,
  { pinned = null, archived = null }: { pinned?: boolean | null; archived?: boolean | null },
): Promise<{ ok: true } | { ok: false; code: "not_found" }> {
  const arranged = await database.query({
    text: `with touched as (update log set touched = ${NOW_S} where id = $1)
      update session set pinned = coalesce($2, pinned), archived = coalesce($3, archived) where id = $1 returning id`,
    values: [id, pinned, archived],
  });
  if (arranged.length === 0) return { ok: false, code: "not_found" };
  changed(id);
  return { ok: true };
}
