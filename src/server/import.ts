// POST /api/sessions/import: an export becomes a session of one's own, at rest. The body is streamed into the store; a line
// that is not right, or a connection that breaks, leaves nothing behind.
import { createHash, type Hash } from "node:crypto";
import { Readable } from "node:stream";
import { z } from "zod";
import * as http from "../protocol/http.ts";
import { IMPORT_MAX_BYTES } from "../protocol/limits.ts";
import { EVENT_MAX_BYTES } from "../store/store.ts";
import { authorOf } from "./access.ts";
import { bodyLines } from "./body-lines.ts";
import { commandOf, refuseReused } from "./command.ts";
import type { Context } from "./context.ts";
import { refuse } from "./refusal.ts";
import type { App } from "./zod.ts";

const NDJSON = "application/x-ndjson";
/** An event, and its position in front. */
const LINE_MAX_BYTES = EVENT_MAX_BYTES + 1024;

const Import = z.strictObject({
  partial: z.enum(["true", "false"]).default("false"),
  workspace: http.Workspace.optional(),
});

export function importRoutes(app: App, { store, ids, log, secrets }: Context): void {
  void app.register((scope: App, _, done) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(NDJSON, (_request, body, parsed) => parsed(null, body));
    scope.post(
      "/api/sessions/import",
      {
        bodyLimit: IMPORT_MAX_BYTES,
        schema: {
          summary:
            "Make a session of one's own from an export in JSON lines; ?partial=true of one that was cut off",
          querystring: Import,
          takes: NDJSON,
          response: { 201: http.SessionRow },
        },
      },
      async (request, reply) => {
        const body: unknown = request.body;
        if (!(body instanceof Readable))
          refuse("media_type", `Send an export as the body, with the content-type ${NDJSON}.`);
        commandOf(request, ""); // a bad key is refused before anything is read
        const hash = createHash("sha256");
        // Not destroyed when enough was read: its sender has yet to read our answer.
        const pieces = counted(body.iterator({ destroyOnReturn: false }), hash);
        const lines = bodyLines(pieces, LINE_MAX_BYTES);
        const { workspace } = request.query;
        const partial = request.query.partial === "true";
        const { readImport } = await import("./read-import.ts"); // an idle server need not carry all that it checks by
        const into = await store.beginImport(ids.next("ses"));
        try {
          const from = await readImport({ lines, into, secrets, partial });
          const command = commandOf(request, hash.digest("hex"));
          const made = await into.finish({ from, workspace }, authorOf(request.caller), command);
          if (!made.ok && made.code === "key_reused") refuseReused();
          if (!made.ok) throw new Error(`an import can't be made: ${made.code}`);
          const { session } = made;
          void reply.code(201).header("location", `/api/sessions/${session.id}`);
          return session;
        } finally {
          await lines.return(undefined);
          body.resume(); // what still comes is dropped; left alone it would stand before the connection's next request
          await into
            .abandon()
            .catch((error: unknown) => log.warn({ err: error }, "what an import left is taken away later"));
        }
      },
    );
    done();
  });
}

async function* counted(pieces: AsyncIterable<Uint8Array>, hash: Hash): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const piece of pieces) {
    bytes += piece.byteLength;
    if (bytes > IMPORT_MAX_BYTES)
      refuse("too_large", "An import has at most 1 GB.", { maxBytes: IMPORT_MAX_BYTES });
    hash.update(piece);
    yield piece;
  }
}
