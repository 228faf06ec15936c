// POST /api/sessions/:id/stop: a stop is a fact, honoured by whoever works on the session, now or after a crash.
import { z } from "zod";
import * as http from "../protocol/http.ts";
import type { Context } from "./context.ts";
import { decideOnView } from "./decide.ts";
import { noteDeed } from "./deed.ts";
import type { App } from "./zod.ts";

export function stopRoutes(app: App, context: Context): void {
  app.post(
    "/api/sessions/:id/stop",
    {
      schema: {
        summary: "Stop the turn that runs; what it has said is kept",
        params: z.object({ id: z.string() }),
        body: http.NoBody,
        response: { 200: http.Stopped, 202: http.Stopped },
      },
    },
    async (request, reply) => {
      const session = request.params.id;
      const decided = await decideOnView(context, request, session, ({ turn }) => ({
        facts: turn && !turn.stopRequested ? [{ type: "stop_requested", data: { turn: turn.id } }] : [],
        answer: turn?.id ?? null,
      }));
      const { answer: turn, position, changed } = decided;
      const stopped = turn !== null;
      if (stopped && changed) await noteDeed(context, request, "stop_requested", { session, turn });
      return reply.code(stopped ? 202 : 200).send({ stopped, turn, position });
    },
  );
}
