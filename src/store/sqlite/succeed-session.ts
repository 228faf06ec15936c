import type { By, NewEvent } from "../../session/event.ts";
import { seqOf } from "../../session/position.ts";
import { prepareBatch } from "../batch.ts";
import { followSuccession } from "../fork-plan.ts";
import type { Command, Forked, Succession } from "../store.ts";
import type { Context } from "./context.ts";
import { copySession } from "./copy-session.ts";
import type { Database } from "./database.ts";
import { packBatch } from "./packed-batch.ts";

export async function succeedSession(
  context: Context,
  succession: Succession,
  author: By,
  command: Command | undefined,
): Promise<Forked> {
  const { from, id, at, view, reason } = succession;
  const now = context.clock();
  const facts: NewEvent[] = [{ type: "session_ended", data: { reason, successor: id } }];
  const ended = packBatch(prepareBatch(facts, new Date(now).toISOString(), author), now);
  const made = await copySession(context, {
    from,
    at,
    following: followSuccession(succession),
    author,
    command,
    finish: (copied) =>
      context.writer.call("finishSuccession", {
        ...copied,
        id,
        from,
        expectSeq: seqOf(view.position),
        ended,
        delegates: withSuccessors(
          context.reader,
          view.delegates.map(({ session }) => session),
        ),
        command,
      }),
  });
  if (made.ok && !made.replayed) {
    context.changed(id);
    context.changed(from);
  }
  return made;
}

/** A person may have gone back in one that works for it: then others do, in its place. */
function withSuccessors(reader: Database, delegates: readonly string[]): string[] {
  const line = reader.tuples<[string]>(
    `with recursive line (id, successor) as (
        select id, successor from session where id in (select value from json_each(?))
        union
        select next.id, next.successor from line join session next on next.id = line.successor)
      select id from line`,
    JSON.stringify(delegates),
  );
  return line.map(([id]) => id);
}
