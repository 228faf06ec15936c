// The trail: who answered, stopped, forced, let in or changed what is allowed.
import * as http from "../protocol/http.ts";
import type { Context } from "./context.ts";
import { pageQuery } from "./page.ts";
import type { App } from "./zod.ts";

export function auditRoutes(app: App, { store }: Context): void {
  app.get(
    "/api/audit",
    {
      schema: {
        summary: "List who did what, newest first",
        querystring: http.ListPage,
        response: { 200: http.DeedList },
      },
    },
    async (request) => {
      const { limit, after } = pageQuery("ded", request.query);
      return store.deeds({ limit, ...(after !== undefined && { after }) });
    },
  );
}
