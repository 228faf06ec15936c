import type { By, NewEvent } from "../../session/event.ts";
import { seqOf } from "../../session/position.ts";
import { prepareBatch } from "../batch.ts";
import { followSuccession } from "../fork-plan.ts";
import type { Command, Forked, Succession } from "../store.ts";
import type { Context } from "./context.ts";
import { copySession } from "./copy-session.ts";
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
        delegates: view.delegates.map(({ session }) => session),
        command,
      }),
  });
  if (made.ok && !made.replayed) {
    context.changed(id);
    context.changed(from);
  }
  return made;
}
