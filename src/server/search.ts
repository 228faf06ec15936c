// GET /api/search: full text over what was said and what tools put out.
import * as http from "../protocol/http.ts";
import type { Context } from "./context.ts";
import type { App } from "./zod.ts";

export function searchRoutes(app: App, { store }: Context): void {
  app.get(
    "/api/search",
    {
      schema: {
        summary: "Search in all sessions",
        querystring: http.SearchQuery,
        response: { 200: http.SearchHits },
      },
    },
    async (request) => ({ items: await store.search(request.query.q, request.query.limit), next: null }),
  );
}
