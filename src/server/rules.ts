// What was allowed for good: listed with the exact pattern, and revocable.
import { z } from "zod";
import * as http from "../protocol/http.ts";
import type { Context } from "./context.ts";
import { refuse } from "./refusal.ts";
import type { App } from "./zod.ts";

export function ruleRoutes(app: App, { store }: Context): void {
  app.get(
    "/api/rules",
    { schema: { summary: "List what was allowed for good", response: { 200: http.RuleList } } },
    async () => ({ items: await store.rules() }),
  );
  app.delete(
    "/api/rules/:id",
    {
      schema: {
        summary: "Take a rule back: what it allowed is asked for again",
        params: z.object({ id: z.string() }),
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      if (!(await store.removeRule(id))) refuse("not_found", `There is no rule "${id.slice(0, 100)}".`);
      return reply.code(204).send();
    },
  );
}
