// Bodies: JSON in UTF-8 and nothing else, unless a route says otherwise. An empty one is none: the route's schema says whether it
// can do without.
import type { FastifyRequest } from "fastify";
import { problem } from "../protocol/problem.ts";
import { Refusal } from "./refusal.ts";
import type { App } from "./zod.ts";

export function takeJsonBodies(app: App): void {
  const parse = app.getDefaultJsonParser("error", "error");
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (request, bytes, done) => {
    const text = decoded(bytes as Buffer); // as it was asked for
    if (text === undefined)
      return done(new Refusal(problem("bad_json", "The body is not valid UTF-8, which JSON is written in.")));
    if (text === "") return done(null, undefined);
    void parse(request as FastifyRequest, text, done);
  });
}

function decoded(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
