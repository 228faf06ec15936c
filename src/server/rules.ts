// What was allowed for good: listed with the exact pattern, and revocable.
import { z } from "zod";
import * as http from "../protocol/http.ts";
import { commandOf, refuseUndone } from "./command.ts";
import type { Context } from "./context.ts";
import { newDeed, tellDeed } from "./deed.ts";
import { pageOf, pageQuery } from "./page.ts";
import type { App } from "./zod.ts";

export function ruleRoutes(app: App, context: Context): void {
  const { store } = context;
  app.get(
    "/api/rules",
    {
      schema: {
        summary: "List what was allowed for good",
        querystring: http.ListPage,
        response: { 200: http.RuleList },
      },
    },
    async (request) => {
      const query = pageQuery("rul", request.query);
      return pageOf(await store.rules(), query);
    },
  );
  app.delete(
    "/api/rules/:id",
    {
      schema: {
        summary: "Take a rule back: what it allowed is asked for again",
        params: z.object({ id: z.string() }),
        answers: { 204: [] },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const deed = newDeed(context, request, "rule_removed", { rule: id });
      const removed = await store.removeRule(id, commandOf(request), deed);
      if (!removed.ok) refuseUndone(removed.code, "rule", id);
      tellDeed(request, deed);
      return reply.code(204).send();
    },
  );
}
