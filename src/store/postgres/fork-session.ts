import type { By } from "../../session/event.ts";
import type { Position } from "../../session/position.ts";
import { followFork } from "../fork-plan.ts";
import type { Command, Forked } from "../store.ts";
import type { Context } from "./context.ts";
import { copySession } from "./copy-session.ts";
import { FIRST_REV } from "./write-events.ts";

export async function forkSession(
  context: Context,
  from: string,
  at: Position | undefined,
  id: string,
  author: By,
  command?: Command,
): Promise<Forked> {
  const forked = await copySession(context, {
    from,
    at,
    id,
    following: followFork(from),
    about: (_, point) => ({ origin: { kind: "fork", session: from, at: point }, lane: null }),
    author,
    command,
  });
  if (forked.ok && !forked.replayed) context.changed(id, FIRST_REV);
  return forked;
}
