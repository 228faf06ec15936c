import { NOW_S } from "./clock.ts";
import type { Context } from "./context.ts";

export async function arrangeSession(
  { database, changed }: Context,
  id: string,
  { pinned = null, archived = null }: { pinned?: boolean | null; archived?: boolean | null },
): Promise<{ ok: true } | { ok: false; code: "not_found" }> {
  const [arranged] = await database.query<{ rev: number }>({
    // The log's row first, as in an append: else the two could wait for each other.
    text: `with touched as (
        update log set rev = rev + 1, touched = ${NOW_S} where id = $1 and kind = 'session' returning id, rev)
      update session set pinned = coalesce($2, pinned), archived = coalesce($3, archived)
      from touched where session.id = touched.id returning touched.rev`,
    values: [id, pinned, archived],
  });
  if (!arranged) return { ok: false, code: "not_found" };
  changed(id, arranged.rev);
  return { ok: true };
}
