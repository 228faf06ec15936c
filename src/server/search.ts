// GET /api/search: full text over what was said and what tools put out.
import * as http from "../protocol/http.ts";
import { parseSearchCursor } from "../store/search-cursor.ts";
import type { Context } from "./context.ts";
import { refuseField } from "./refusal.ts";
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
    async ({ query }) => {
      if (query.after !== undefined && parseSearchCursor(query.after) === undefined)
        refuseField("query.after", "must be the `next` of the page before, as it was given");
      return store.search(query);
    },
  );
}
