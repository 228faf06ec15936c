// POST /api/sessions/:id/stop: a stop is a fact, honoured by whoever works on the session, now or after a crash.
import { z } from "zod";
import * as http from "../protocol/http.ts";
import type { Context } from "./context.ts";
import { decideOnView } from "./decide.ts";
import type { App } from "./zod.ts";

export function stopRoutes(app: App, context: Context): void {
  app.post(
    "/api/sessions/:id/stop",
    {
      schema: {
        summary: "Stop the turn that runs; what it has said is kept",
        params: z.object({ id: z.string() }),
        response: { 200: http.Stopped, 202: http.Stopped },
      },
    },
    async (request, reply) => {
      const { answer, position } = await decideOnView(context, request, request.params.id, ({ turn }) => ({
        facts: turn && !turn.stopRequested ? [{ type: "stop_requested", data: { turn: turn.id } }] : [],
        answer: turn?.id ?? null,
      }));
      const stopped = answer !== null;
      return reply.code(stopped ? 202 : 200).send({ stopped, turn: answer, position });
    },
  );
}
