// GET /api/sessions/:id/export: the whole log as JSON lines with all that it refers to, or a transcript to read. Streamed: a
// page at a time is in memory.
import { Readable } from "node:stream";
import { setTimeout } from "node:timers/promises";
import { z } from "zod";
import type { AnyEvent } from "../session/event.ts";
import { goodPrefix } from "../store/good-prefix.ts";
import { DamagedEvent, type LogId, type Store } from "../store/store.ts";
import type { Context } from "./context.ts";
import { refuseUnknown } from "./session-refusals.ts";
import type { App } from "./zod.ts";

export function exportRoutes(app: App, { store }: Context): void {
  app.get(
    "/api/sessions/:id/export",
    {
      schema: {
        summary: "Take a session with you: md to read, jsonl for programs",
        params: z.object({ id: z.string() }),
        answers: { 200: ["text/markdown", "application/x-ndjson"] },
        querystring: z.strictObject({ format: z.enum(["md", "jsonl"]).default("md") }),
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const { format } = request.query;
      if ((await store.head(id))?.kind !== "session") refuseUnknown(id);
      const events = eventsOf(store, id);
      const lines = format === "md" ? await transcriptOf(events, store) : await linesOf(events, store, id);
      const waiting = () => (body.destroyed ? 0 : body.readableLength + reply.raw.writableLength);
      const body: Readable = Readable.from(request.method === "HEAD" ? [] : sentBeforeCut(lines, waiting), {
        highWaterMark: 16,
      });
      return reply
        .type(format === "md" ? "text/markdown; charset=utf-8" : "application/x-ndjson")
        .header("content-disposition", `attachment; filename="${id.replaceAll(/[^\w-]/g, "_")}.${format}"`)
        .header("cache-control", "no-store")
        .send(body);
    },
  );
}

// Loaded when they are asked for: an idle server need not carry them.
async function transcriptOf(events: AsyncIterable<AnyEvent>, store: Store): Promise<AsyncIterable<string>> {
  return (await import("./transcript.ts")).transcript(events, store);
}

async function linesOf(
  events: AsyncIterable<AnyEvent>,
  store: Store,
  id: LogId,
): Promise<AsyncIterable<string>> {
  return (await import("./export-lines.ts")).exportLines(events, store, id);
}

/** Cut off where the log is damaged, or was deleted meanwhile: whoever exports it keeps all that is good. */
async function* eventsOf(store: Store, log: LogId): AsyncGenerator<AnyEvent> {
  const cutAt = yield* goodPrefix(store, log);
  if (cutAt === "deleted") refuseUnknown(log);
  if (cutAt !== undefined) throw new DamagedEvent(log, cutAt);
}

/** A stream that fails drops what still waits in it: first that goes out. */
async function* sentBeforeCut(lines: AsyncIterable<string>, waiting: () => number): AsyncGenerator<string> {
  try {
    yield* lines;
  } catch (error) {
    do await setTimeout(LOOK_MS);
    while (waiting() > 0);
    throw error;
  }
}
/** How often it is looked whether all has gone out; also a moment for the reader to take the last of it. */
const LOOK_MS = 50;
