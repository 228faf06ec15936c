// POST /api/sessions/:id/retry: a person has a turn that failed gone on with. The turn itself is their fact, so that it has its
// author and whoever works on the session finds it begun, as after a crash.
import { z } from "zod";
import * as http from "../protocol/http.ts";
import { failedTurn, retryFact } from "../session/retry.ts";
import type { View } from "../session/view.ts";
import type { Context } from "./context.ts";
import { decideOnView } from "./decide.ts";
import { refuse } from "./refusal.ts";
import { refuseEnded } from "./session-refusals.ts";
import type { App } from "./zod.ts";

export function retryRoutes(app: App, context: Context): void {
  app.post(
    "/api/sessions/:id/retry",
    {
      schema: {
        summary: "Go on with the last turn, which failed, from its last completed step",
        params: z.object({ id: z.string() }),
        body: http.NoBody,
        response: { 202: http.Retried },
      },
    },
    async (request, reply) => {
      const session = request.params.id;
      const { answer, position } = await decideOnView(context, request, session, (view) => {
        const retries = failedTurn(view) ?? refuseUnfailed(session, view);
        const fact = retryFact(view, retries);
        return { facts: [fact], answer: { turn: fact.data.turn, retries } };
      });
      return reply.code(202).send({ ...answer, position });
    },
  );
}

function refuseUnfailed(session: string, { ended, turn, failed }: View): never {
  if (ended) refuseEnded(session, ended.successor);
  if (turn && failed)
    refuse("live", `Holdfast left a turn of ${session} alone: send anything to have it tried again.`, {
      turn: turn.id,
    });
  if (turn) refuse("live", `A turn of ${session} runs: there is nothing to try again.`, { turn: turn.id });
  refuse("conflict", `The last turn of ${session} did not fail. To have it anew, regenerate it.`);
}
