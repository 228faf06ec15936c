// Files that inputs name, and blobs, the long texts of events. An upload's body is the file itself, streamed into the store.
import type { FastifyReply } from "fastify";
import { createHash, type Hash } from "node:crypto";
import { Readable } from "node:stream";
import { z } from "zod";
import * as http from "../protocol/http.ts";
import { FILE_MAX_BYTES } from "../protocol/limits.ts";
import { commandOf, refuseReused } from "./command.ts";
import type { Context } from "./context.ts";
import { refuse } from "./refusal.ts";
import type { App } from "./zod.ts";

const DEFAULT_TYPE = "application/octet-stream";
/** These a browser only paints. All else could be a page, and is only ever saved. */
const SHOWN = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** Of 256 KB each: sixteen, as is usual, would be 4 MB for each reader that does not read. */
const READ_AHEAD_CHUNKS = 1;

const Params = z.object({ id: z.string() });
const Upload = z.strictObject({ name: http.FileName.default("file") });

export function fileRoutes(app: App, { store, ids }: Context): void {
  // A scope of its own: here a body of any type is a stream, JSON too.
  void app.register((scope: App, _, done) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", (_request, body, parsed) => parsed(null, body));
    // What is no media type says nothing about the file, which is one all the same.
    scope.addHook("onRequest", (request, _reply, next) => {
      const { headers } = request;
      if (headers["content-type"] !== undefined) headers["content-type"] = typeOf(headers["content-type"]);
      next();
    });
    scope.post(
      "/api/files",
      {
        bodyLimit: FILE_MAX_BYTES,
        schema: {
          summary: "Upload a file: the body is its bytes, content-type its type, ?name= its name",
          querystring: Upload,
          takes: "*/*",
          response: { 201: http.FileInfo },
        },
      },
      async (request, reply) => {
        if (Number(request.headers["content-length"] ?? 0) > FILE_MAX_BYTES) refuseLarge();
        const body = request.body;
        if (!(body instanceof Readable))
          refuse("bad_request", "There is no file: send its bytes as the body.");
        if (/^multipart\//i.test(request.headers["content-type"] ?? "")) {
          body.resume();
          refuse(
            "media_type",
            "A form is not taken apart here: send the file's bytes as the body (curl --data-binary @file), its type as content-type, its name as ?name=.",
          );
        }
        commandOf(request, ""); // a bad key is refused before anything is read
        const file = {
          id: ids.next("fil"),
          name: request.query.name,
          type: typeOf(request.headers["content-type"]),
        };
        // Not destroyed when the store has read enough: its sender has yet to read our answer.
        const hash = createHash("sha256");
        const put = await store.putFile(
          file,
          hashed(body.iterator({ destroyOnReturn: false }), hash),
          FILE_MAX_BYTES,
          () => commandOf(request, `${file.type}\n${hash.digest("hex")}`),
        );
        if (!put.ok) {
          body.resume(); // what still comes is dropped; left alone it would stand before the connection's next request
          if (put.code === "key_reused") refuseReused();
          refuseLarge();
        }
        return reply.code(201).header("location", `/api/files/${put.file.file}`).send(put.file);
      },
    );
    done();
  });

  app.get(
    "/api/files/:id",
    { schema: { summary: "A file as it was uploaded", params: Params, answers: { 200: ["*/*"] } } },
    async (request, reply) => {
      const file = await store.file(request.params.id);
      if (file === undefined) refuse("not_found", `There is no file "${request.params.id.slice(0, 100)}".`);
      const disposition = SHOWN.has(file.type) ? "inline" : "attachment";
      return locked(reply)
        .type(file.type)
        .header("content-length", file.bytes)
        .header("content-disposition", `${disposition}; filename*=UTF-8''${encodeURIComponent(file.name)}`)
        .send(
          Readable.from(request.method === "HEAD" ? [] : file.read(), { highWaterMark: READ_AHEAD_CHUNKS }),
        );
    },
  );
  app.get(
    "/api/blobs/:id",
    {
      schema: {
        summary: "A text that was too long for its event",
        params: Params,
        answers: { 200: ["text/plain"] },
      },
    },
    async (request, reply) => {
      const bytes = await store.blob(request.params.id);
      if (bytes === undefined) refuse("not_found", `There is no blob "${request.params.id.slice(0, 100)}".`);
      return locked(reply).type("text/plain; charset=utf-8").send(bytes);
    },
  );
}

async function* hashed(pieces: AsyncIterable<Uint8Array>, hash: Hash): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    hash.update(piece);
    yield piece;
  }
}

/** What others wrote must not run as one of our pages; and neither ever changes. */
function locked(reply: FastifyReply): FastifyReply {
  return reply
    .header("content-security-policy", "default-src 'none'; sandbox")
    .header("cache-control", "private, max-age=31536000, immutable");
}

function refuseLarge(): never {
  refuse("too_large", "A file has at most 25 MB.", { maxBytes: FILE_MAX_BYTES });
}

function typeOf(header: string | undefined): string {
  const type = header?.trim().toLowerCase() ?? "";
  return /^[\w.+-]+\/[\w.+-]+(;\s*[\w-]+=[\w"-]+)*$/.test(type) && type.length <= 200 ? type : DEFAULT_TYPE;
}
