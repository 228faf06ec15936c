// GET /api/backup: a copy of the running store, whole and consistent, as one file. It lies in a private folder of this
// server's own only for as long as it is being made and sent; what a server left that died over it goes when the next one
// starts. Whatever else is beside it is someone's own, such as a backup that was written there, and stays.
import { createReadStream } from "node:fs";
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { FastifyBaseLogger } from "fastify";
import type { Store } from "../store/store.ts";
import type { Context } from "./context.ts";
import { refuse } from "./refusal.ts";
import type { App } from "./zod.ts";

/** No name that a person would give; mkdtemp adds six characters. */
const UNFINISHED = ".holdfast-being-sent-";
const IS_UNFINISHED = /^\.holdfast-being-sent-[A-Za-z0-9]{6}$/;

export function backupRoutes(app: App, { store, log }: Context, backupFolder: string): void {
  let isRunning = false; // each one is a whole copy on disk: one at a time

  app.get(
    "/api/backup",
    {
      exposeHeadRoute: false,
      schema: { summary: "A backup of the running store", answers: { 200: ["application/vnd.sqlite3"] } },
    },
    async (_, reply) => {
      if (store.dialect !== "sqlite")
        refuse(
          "conflict",
          "This server keeps its data in PostgreSQL: back that up with pg_dump, and after a pg_restore run `holdfast restore --renew`.",
        );
      if (isRunning) refuse("conflict", "Another backup is being made. Try again when it is done.");
      isRunning = true;
      let folder: string | undefined;
      const cleanUp = async () => {
        isRunning = false;
        try {
          if (folder !== undefined) await rm(folder, { recursive: true, force: true });
        } catch (error) {
          log.error({ err: error, folder }, "a copy of the store could not be removed");
        }
      };
      try {
        await mkdir(backupFolder, { recursive: true, mode: 0o700 });
        folder = await mkdtemp(join(backupFolder, UNFINISHED));
        const file = join(folder, "holdfast.db");
        const { bytes } = await store.backup(file);
        if (reply.raw.destroyed) {
          await cleanUp(); // whoever asked for it went while it was being made
          return reply.hijack();
        }
        reply.raw.once("close", () => void cleanUp());
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

/** Before the first one is made: whoever has the store open is the only one to make such copies. */
export async function sweepBackups(
  { dialect }: Store,
  backupFolder: string,
  log: FastifyBaseLogger,
): Promise<void> {
  if (dialect !== "sqlite") return;
  try {
    for (const entry of await readdir(backupFolder, { withFileTypes: true }))
      if (entry.isDirectory() && IS_UNFINISHED.test(entry.name))
        await rm(join(backupFolder, entry.name), { recursive: true, force: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return; // none was ever made
    log.warn({ err: error, folder: backupFolder }, "what a broken-off backup left could not be removed");
  }
}
