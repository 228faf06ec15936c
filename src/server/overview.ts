// GET /api/overview: all that runs and waits, on every node.
import * as http from "../protocol/http.ts";
import type { Status } from "../session/row.ts";
import type { Context } from "./context.ts";
import { wireProcess } from "./process-rows.ts";
import { wireRow } from "./rows.ts";
import type { App } from "./zod.ts";

const ACTIVE: Status[] = ["running", "recovering", "waiting", "queued"];
const ACTIVE_MAX = 100;

export function overviewRoutes(app: App, context: Context): void {
  const { store, version } = context;
  app.get(
    "/api/overview",
    { schema: { summary: "All that runs and waits", response: { 200: http.Overview } } },
    async (request) => {
      const { person } = request.caller;
      const [{ sessions, asks }, open, nodes, processes, ...active] = await Promise.all([
        store.overview(),
        store.asks({ open: true, limit: ACTIVE_MAX }),
        store.nodes(),
        store.processes({ running: true, limit: ACTIVE_MAX }),
        ...ACTIVE.map((status) => store.sessions({ status, heads: false, limit: ACTIVE_MAX }, person)),
      ]);
      const rows = active.flatMap(({ items }) => items);
      return {
        store: store.id,
        dialect: store.dialect,
        version,
        sessions,
        asks,
        openAsks: open.items.map(({ id, session, kind, title, openedAt }) => ({
          id,
          session,
          kind,
          title,
          openedAt,
        })),
        active: rows
          .toSorted((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1))
          .slice(0, ACTIVE_MAX)
          .map((row) => wireRow(row, context.damage)),
        processes: await Promise.all(processes.items.map((row) => wireProcess(context, row))),
        nodes,
      };
    },
  );
}
