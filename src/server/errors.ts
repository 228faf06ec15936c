// The one place that maps what went wrong to HTTP. What we did not expect is logged whole and told as little.
import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import type { Socket } from "node:net";
import { problem, type Fault, type Problem } from "../protocol/problem.ts";
import { DamagedEvent, StorageError } from "../store/store.ts";
import { Refusal } from "./refusal.ts";

/** Enough for a disk to be freed or a database to come back, short enough not to be waited for. */
const RETRY_AFTER_SECONDS = 2;

export function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const brokenOff = isBrokenOff(error, request);
  if (brokenOff) request.log.debug({ route: request.routeOptions.url }, "broken off by its client");
  const document = brokenOff
    ? problem("bad_request", "The body did not come whole.")
    : problemOf(error, request.routeOptions.schema?.takes);
  if (document.status >= 500)
    request.log.error({ err: error, route: request.routeOptions.url }, document.title);
  if (error instanceof Refusal) void reply.headers(error.headers);
  if (document.status === 503) void reply.header("retry-after", RETRY_AFTER_SECONDS);
  return sendProblem(reply, document);
}

/** Its client went before all of the body had come: nobody's fault here, and nobody reads the answer. */
function isBrokenOff(error: unknown, { raw }: FastifyRequest): boolean {
  return !raw.complete && raw.destroyed && (error as NodeJS.ErrnoException).code === "ECONNRESET";
}

export function sendProblem(reply: FastifyReply, document: Problem): FastifyReply {
  return reply
    .code(document.status)
    .type("application/problem+json")
    .header("cache-control", "no-store")
    .serializer(JSON.stringify)
    .send(document);
}

/** `takes`: the media type of the route's body, where that is not JSON. */
export function problemOf(error: unknown, takes = "application/json"): Problem {
  if (error instanceof Refusal) return error.problem;
  if (error instanceof StorageError)
    return problem("not_ready", `The store can't do this now: ${error.message}${adviceOf(error)}`, {
      reason: error.kind,
    });
  if (error instanceof DamagedEvent)
    return problem("damaged", `${capital(error.message)}.`, { log: error.log, position: error.position });
  if (isSchemaError(error))
    return problem(
      error.tooLarge ? "too_large" : "schema",
      `The ${error.part} does not fit: ${error.message}.`,
      { faults: error.faults },
    );
  return frameworkProblem(error as Partial<FastifyError>, takes);
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function adviceOf({ kind }: StorageError): string {
  return kind === "broken" ? '. Run "holdfast doctor" on the server: it names what is damaged' : "";
}

/** Thrown by the validator; see zod.ts. */
export class SchemaError extends Error {
  readonly statusCode = 422;
  readonly part: string;
  readonly faults: Fault[];
  /** A text is longer than is taken. */
  readonly tooLarge: boolean;
  constructor(part: string, faults: Fault[], tooLarge: boolean) {
    super(faults.map(({ path, message }) => `${path}: ${message}`).join("; "));
    this.part = part;
    this.faults = faults;
    this.tooLarge = tooLarge;
  }
}

/** Fastify hands the validator's error on, but may wrap its prototype: what counts is what it carries. */
function isSchemaError(error: unknown): error is SchemaError {
  return error instanceof Error && "faults" in error && "part" in error;
}

const FRAMEWORK: Record<string, (takes: string) => Problem> = {
  FST_ERR_CTP_INVALID_JSON_BODY: () => problem("bad_json", "The body could not be read as JSON."),
  FST_ERR_CTP_BODY_TOO_LARGE: () =>
    problem("too_large", "The body is larger than 1 MB. Upload large content with POST /api/files."),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: (takes) =>
    problem("media_type", `Send the body with the content-type ${takes}.`),
  FST_ERR_BAD_URL: () => problem("bad_request", "The address is not a valid URL path."),
};

function frameworkProblem(
  { code, statusCode = 500, message }: Partial<FastifyError>,
  takes: string,
): Problem {
  const known = FRAMEWORK[code ?? ""];
  if (known !== undefined) return known(takes);
  if (statusCode < 500) return problem("bad_request", message ?? "The request is malformed.");
  return problem("internal", "The server failed in a way that it did not expect; its log says how.");
}

/** For bytes that never became a request; nothing of Fastify has run, so this is written by hand. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  // In the middle of another answer this one would be a part of that, and would wait for a reader that may not read.
  if (error.code === "ECONNRESET" || !socket.writable || socket.writableLength > 0)
    return void socket.destroy();
  const document =
    error.code === "HPE_HEADER_OVERFLOW"
      ? problem("header_too_large", "The request's header is larger than 16 KB.")
      : error.code === "ERR_HTTP_REQUEST_TIMEOUT"
        ? problem("request_timeout", "The request did not arrive in time.")
        : problem("bad_request", "This is not an HTTP request that can be understood.");
  const body = JSON.stringify(document);
  socket.end(
    `HTTP/1.1 ${document.status} ${document.title}\r\nconnection: close\r\ncontent-type: application/problem+json\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
