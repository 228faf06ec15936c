// Who did what, kept in the trail (audit.ts) before the answer is given, and told in the server's log.
import type { FastifyRequest } from "fastify";
import type { Deed, DeedName } from "../session/deed.ts";
import { deedIdOf } from "../store/deed-id.ts";
import { authorOf } from "./access.ts";
import { commandOf } from "./command.ts";
import type { Context } from "./context.ts";

/** For a verb that notes it with its effect. */
export function newDeed(
  { ids }: Pick<Context, "ids">,
  { caller }: FastifyRequest,
  deed: DeedName,
  what: Deed["what"],
): Deed {
  return { id: ids.next("ded"), deed, by: authorOf(caller), credential: caller.id, what };
}

/** Done, or done before under the same key. */
export function tellDeed({ log }: FastifyRequest, { deed, by, credential, what }: Deed): void {
  log.info({ deed, ...what, by, credential }, "a person's deed");
}

/**
 * Where the effect is a fact, which says itself whose it is. When the deed can't be kept the request fails though its
 * effect is there: sent again under its key it has no second effect, and is noted then.
 */
export async function noteDeed(
  context: Context,
  request: FastifyRequest,
  name: DeedName,
  what: Deed["what"],
): Promise<void> {
  const deed = newDeed(context, request, name, what);
  tellDeed(request, deed);
  const command = commandOf(request);
  // With what was done: a key that its store has forgotten may be used again, for something else.
  const id = command ? deedIdOf(name, command.scope, command.key, JSON.stringify(what)) : deed.id;
  await context.store.noteDeed({ ...deed, id });
}
