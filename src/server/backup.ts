// GET /api/backup: a copy of the running store, whole and consistent, as one file. It lies in a private temporary folder only
// for as long as it is being sent.
import { createReadStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Context } from "./context.ts";
import { refuse } from "./refusal.ts";
import type { App } from "./zod.ts";

export function backupRoutes(app: App, { store, log }: Context): void {
  let isRunning = false; // each one is a whole copy on disk: one at a time

  app.get(
    "/api/backup",
    {
      exposeHeadRoute: false,
      schema: { summary: "A backup of the running store", answers: { 200: ["application/vnd.sqlite3"] } },
    },
    async (_, reply) => {
      if (store.dialect !== "sqlite")
        refuse("conflict", "This server keeps its data in PostgreSQL: back that up with pg_dump.");
      if (isRunning) refuse("conflict", "Another backup is being made. Try again when it is done.");
      isRunning = true;
      const folder = await mkdtemp(join(tmpdir(), "holdfast-backup-"));
      const cleanUp = async () => {
        isRunning = false;
        await rm(folder, { recursive: true, force: true });
      };
      try {
        const file = join(folder, "holdfast.db");
        const { bytes } = await store.backup(file);
        reply.raw.once("close", () => {
          cleanUp().catch((error: unknown) =>
            log.error({ err: error, folder }, "a sent backup could not be removed"),
          );
        });
        return reply
          .type("application/vnd.sqlite3")
          .header("content-length", bytes)
          .header("content-disposition", 'attachment; filename="holdfast.db"')
          .header("cache-control", "no-store")
          .send(createReadStream(file));
      } catch (error) {
        await cleanUp();
        throw error;
      }
    },
  );
}
