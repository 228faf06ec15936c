import type { Command, Done } from "../store.ts";
import { NOW_S } from "./clock.ts";
import { once } from "./command.ts";
import type { Context } from "./context.ts";
import { lockLogs } from "./lock-logs.ts";

export async function arrangeSession(
  { database, changed }: Context,
  id: string,
  { pinned = null, archived = null }: { pinned?: boolean | null; archived?: boolean | null },
  command?: Command,
): Promise<Done> {
  let rev = 0;
  const done = await database.transaction(
    async (transaction) => {
      await lockLogs(transaction, [id]);
      return once<Done>(transaction, command, async () => {
        const [arranged] = await transaction.query<{ rev: number }>({
          text: `with touched as (
              update log set rev = rev + 1, touched = ${NOW_S} where id = $1 and kind = 'session' returning id, rev)
            update session set pinned = coalesce($2, pinned), archived = coalesce($3, archived)
            from touched where session.id = touched.id returning touched.rev`,
          values: [id, pinned, archived],
        });
        rev = arranged?.rev ?? 0;
        return arranged ? { ok: true } : { ok: false, code: "not_found" };
      });
    },
    { repeatable: command !== undefined },
  );
  if (done.ok) changed(id, rev);
  return done;
}
