// How a command is carried out that depends on how its session stands: look, decide, and append only if nothing has come
// in between; else look again. So of commands that exclude each other one is carried out, whatever serves them.
import type { FastifyRequest } from "fastify";
import type { NewFact } from "../session/event.ts";
import { seqOf, type Position } from "../session/position.ts";
import type { View } from "../session/view.ts";
import type { Appended, Command, Refused } from "../store/store.ts";
import { authorOf } from "./access.ts";
import { commandOf, refuseReused, unlessDone } from "./command.ts";
import type { Context } from "./context.ts";
import { refuse } from "./refusal.ts";
import { refuseEnded, refuseUnknown } from "./session-refusals.ts";

/** A session that changes under us as often as this is one that others should be let in front of. */
const TRIES_MAX = 20;

export type Decision<Answer> = {
  /** None when what is asked for is so already. */
  facts: readonly NewFact[];
  /** Kept with the facts: a retry under the same key is given the same. */
  answer: Answer;
};

/** `changed`: facts came of it, now or the first time. */
export type Decided<Answer> = { answer: Answer; position: Position; changed: boolean };

/** `decide` refuses by throwing, as routes do. */
export function decideOnView<Answer>(
  context: Context,
  request: FastifyRequest,
  session: string,
  decide: (view: View) => Decision<Answer> | Promise<Decision<Answer>>,
): Promise<Decided<Answer>> {
  return decideAndAppend(context, request, session, () => viewOf(context, session), decide);
}

export async function decideAndAppend<State extends { position: Position }, Answer>(
  context: Context,
  request: FastifyRequest,
  session: string,
  look: () => Promise<State>,
  decide: (state: State) => Decision<Answer> | Promise<Decision<Answer>>,
): Promise<Decided<Answer>> {
  const { store, metrics } = context;
  const author = authorOf(request.caller);
  const settled = await settle<Extract<Appended, { ok: true }> & { changed?: false }>(
    context,
    request,
    session,
    async (command) => {
      const state = await look();
      const { facts, answer } = await decide(state);
      if (facts.length === 0) {
        const nothing = { ok: true, position: state.position, note: answer, changed: false } as const;
        // Else it would be decided anew when it comes again, perhaps when there is something to do.
        return command ? store.keep(command, nothing) : nothing;
      }
      const appended = await store.append(
        session,
        facts,
        { by: "client", author, ...(command && { command }) },
        { note: answer, expectSeq: seqOf(state.position) },
      );
      if (appended.ok && !appended.replayed) metrics.appended.add(facts.length);
      return appended;
    },
  );
  const { note, position, changed = true } = settled;
  return { answer: note as Answer, position, changed }; // as it was decided, now or the first time
}

/** Tries until nothing came in between. */
export async function settle<Done extends { ok: true }>(
  context: Context,
  request: FastifyRequest,
  session: string,
  attempt: (command: Command | undefined) => Promise<Done | Refused>,
): Promise<Done> {
  const command = commandOf(request);
  return unlessDone(context.store, command, async () => {
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      const outcome = await attempt(command);
      if (outcome.ok) return outcome;
      if (outcome.code !== "moved") refuseFor(session, outcome);
    }
    return refuse("not_ready", `${session} changes too fast to decide on it. Try again.`);
  });
}

export async function viewOf({ store }: Context, session: string): Promise<View> {
  return (await store.view(session)) ?? refuseUnknown(session);
}

function refuseFor(session: string, refused: Refused): never {
  if (refused.code === "ended") refuseEnded(session, refused.successor);
  if (refused.code === "key_reused") refuseReused();
  refuseUnknown(session);
}
