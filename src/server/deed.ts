// Who did what, kept in the trail (audit.ts) before the answer is given, and told in the server's log. When it can't be kept
// the request fails though its effect is there: sent again under its key it has no second effect, and is noted then.
import type { FastifyRequest } from "fastify";
import type { Deed, DeedName } from "../session/deed.ts";
import { deedIdOf } from "../store/deed-id.ts";
import { authorOf } from "./access.ts";
import { commandOf } from "./command.ts";
import type { Context } from "./context.ts";

export async function noteDeed(
  { store, ids }: Context,
  request: FastifyRequest,
  deed: DeedName,
  what: Deed["what"],
): Promise<void> {
  const { caller, log } = request;
  const command = commandOf(request);
  const who = { by: authorOf(caller), credential: caller.id };
  // With what was done: a key that its store has forgotten may be used again, for something else.
  const id = command ? deedIdOf(deed, command.scope, command.key, JSON.stringify(what)) : ids.next("ded");
  log.info({ deed, ...what, ...who }, "a person's deed");
  await store.noteDeed({ id, deed, ...who, what });
}
