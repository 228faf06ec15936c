// GET /api/usage: what models used, in all and broken down.
import type { z } from "zod";
import * as http from "../protocol/http.ts";
import { DAY_MS } from "../session/usage-changes.ts";
import type { UsageBy, UsageFilter, UsageRow } from "../store/store.ts";
import { parseUsageCursor } from "../store/usage-row.ts";
import type { Context } from "./context.ts";
import { refuse, refuseField } from "./refusal.ts";
import type { App } from "./zod.ts";

export function usageRoutes(app: App, { store }: Context): void {
  app.get(
    "/api/usage",
    {
      schema: {
        summary: "Tell what models used, in all and by day, model, profile or session",
        querystring: http.ReadUsage,
        response: { 200: http.UsageReport },
      },
    },
    async ({ query }) => {
      const { by, session } = query;
      const filter = filterOf(query);
      if (session === undefined) return wireReport(by, await store.usage(filter));
      const scope = await store.scope(session);
      // What a session used stays when it is deleted.
      const sessions = scope.length > 0 ? scope : [session];
      const report = await store.usage({ ...filter, sessions });
      if (scope.length === 0 && report.total.steps === 0)
        refuse("not_found", `There is no session ${session}, and nothing is known of what it used.`);
      return wireReport(by, report);
    },
  );
}

function filterOf({ by, since, until, profile, model, limit, after }: Query): UsageFilter {
  if (after !== undefined && parseUsageCursor(by, after) === undefined)
    refuseField("query.after", "must be the `next` of the page before, as it was given");
  const days = { since: dayOf(since), until: dayOf(until) };
  if (days.since !== undefined && days.until !== undefined && days.since > days.until)
    refuseField("query.since", "must not be after `until`");
  return {
    by,
    limit,
    ...(days.since !== undefined && { since: days.since }),
    ...(days.until !== undefined && { until: days.until }),
    ...(profile !== undefined && { profile }),
    ...(model !== undefined && { model }),
    ...(after !== undefined && { after }),
  };
}

type Query = z.output<typeof http.ReadUsage>;

function dayOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Math.floor(Date.parse(text) / DAY_MS);
}

function wireReport(
  by: UsageBy,
  { total, rows, uncounted }: Awaited<ReturnType<Context["store"]["usage"]>>,
): http.UsageReport {
  return { by, total, items: rows.items.map((row) => wireItem(by, row)), next: rows.next, uncounted };
}

function wireItem(by: UsageBy, { key, title, deleted, ...sum }: UsageRow): http.UsageItem {
  switch (by) {
    case "day":
      return { day: key, ...sum };
    case "model":
      return { model: key === "" ? null : key, ...sum };
    case "profile":
      return { profile: key, ...sum };
    case "session":
      return { session: key, title, deleted, ...sum };
  }
}
