// What happens to every request before its route: the server's name, the page's origin, the credential, the headers that
// go with every answer. A route is closed unless it says that it is open.
import type { FastifyReply, FastifyRequest } from "fastify";
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { problem, type Problem } from "../protocol/problem.ts";
import type { Credential } from "../store/store.ts";
import type { Context } from "./context.ts";
import { sendProblem } from "./errors.ts";
import type { App } from "./zod.ts";

/** These belong to the API whatever is mounted there: nothing below them is a file of the dashboard. */
const CLOSED_PATHS = /^\/(api|mcp|v1|metrics|openapi\.json)(\/|\?|$)/;

const NOBODY: Credential = { id: "", person: "", kind: "program", device: "" };

export function guard(app: App, context: Context): InFlight {
  const inFlight = new InFlight();
  app.decorateRequest("caller");
  app.addHook("onRequest", async (request, reply) => {
    inFlight.add(reply.raw);
    request.caller = NOBODY;
    setHeaders(reply);
    const refused = await refusalOf(context, request);
    if (refused === undefined) return;
    if (refused.status === 401) void reply.header("www-authenticate", "Bearer");
    if (refused.status === 503) void reply.header("connection", "close").header("retry-after", 1);
    return sendProblem(reply, refused);
  });
  app.addHook("onResponse", (request, reply, done) => {
    report(context, request, reply);
    done();
  });
  return inFlight;
}

async function refusalOf(context: Context, request: FastifyRequest): Promise<Problem | undefined> {
  const { gate, access, closing } = context;
  const wrongHost = gate.hostRefusal(request.headers);
  if (wrongHost !== undefined) return wrongHost;
  const isOpenRoute = request.routeOptions.config.open === true;
  if (closing() && !isOpenRoute)
    return problem("shutting_down", "The server is shutting down; ask again in a moment.");
  const isClosedPath = CLOSED_PATHS.test(request.url);
  // What no route answers is a file or a page, the same bytes for all, unless it lies where the API is.
  const isFile = request.is404 && !isClosedPath;
  if (isFile) return undefined;
  const wrongOrigin = gate.originRefusal(request.headers);
  if (wrongOrigin !== undefined) return wrongOrigin;
  if (isOpenRoute) return undefined;
  const credential = await access.credentialOf(request.headers);
  if (credential === undefined) return unauthorized(request.headers);
  request.caller = credential;
  return undefined;
}

/** Who sent a credential is told that it was looked at: sending it again is of no use. */
export function unauthorized({ authorization }: IncomingHttpHeaders): Problem {
  return problem(
    "unauthorized",
    authorization === undefined
      ? "Send a bearer token, or log in with the link from `holdfast login`."
      : "The token was refused: this server does not know it, or it was revoked. Use another one, such as that in cli-token of the server's HOLDFAST_HOME.",
  );
}

function setHeaders(reply: FastifyReply): void {
  void reply
    .header("x-content-type-options", "nosniff")
    .header("referrer-policy", "no-referrer")
    .header("cross-origin-resource-policy", "same-origin")
    .header("content-security-policy", "default-src 'none'; frame-ancestors 'none'")
    .header("cache-control", "no-store");
}

function report({ metrics }: Context, request: FastifyRequest, reply: FastifyReply): void {
  const { method } = request;
  const route = request.routeOptions.url ?? "files";
  const status = String(reply.statusCode);
  const seconds = reply.elapsedTime / 1000;
  request.log.debug(
    { method, route, status, ms: reply.elapsedTime, person: request.caller.person },
    "answered",
  );
  // How long a stream was open says nothing about how fast we are.
  if (reply.raw.getHeader("content-type") !== "text/event-stream")
    metrics.requests.observe(seconds, { method, route, status });
}

/** Requests that have no answer yet, for an orderly end. */
export class InFlight {
  readonly #answers = new Set<ServerResponse>();
  #emptied: (() => void) | undefined;

  add(answer: ServerResponse): void {
    this.#answers.add(answer);
    // Whether it was sent whole or its reader has gone.
    answer.once("close", () => {
      this.#answers.delete(answer);
      if (this.#answers.size === 0) this.#emptied?.();
    });
  }

  /** Resolves when there are none, or after this long. */
  async empty(withinMs: number): Promise<void> {
    if (this.#answers.size === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#emptied = resolve;
    const timer = setTimeout(resolve, withinMs);
    await promise;
    clearTimeout(timer);
  }
}
