import type { Command, Done } from "../store.ts";
import { NOW_S } from "./clock.ts";
import { once } from "./command.ts";
import type { Context } from "./context.ts";

export async function arrangeSession(
  { database, changed }: Context,
  id: string,
  { pinned = null, archived = null }: { pinned?: boolean | null; archived?: boolean | null },
  command?: Command,
): Promise<Done> {
  const done = await database.transaction(
    (transaction) =>
      once<Done>(transaction, command, async () => {
        const arranged = await transaction.query({
          text: `with touched as (update log set touched = ${NOW_S} where id = $1)
            update session set pinned = coalesce($2, pinned), archived = coalesce($3, archived) where id = $1 returning id`,
          values: [id, pinned, archived],
        });
        return arranged.length > 0 ? { ok: true } : { ok: false, code: "not_found" };
      }),
    { repeatable: command !== undefined },
  );
  if (done.ok) changed(id);
  return done;
}
