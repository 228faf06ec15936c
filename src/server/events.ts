// GET /api/sessions/:id/events: the Durable Streams read protocol over any log, by the log's kind. Catch-up pages,
// long-poll, server-sent events. Stored texts go out as they lie.
import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { isPosition, START, type Position } from "../session/position.ts";
import type { Credential, LogHead, LogKind, Store } from "../store/store.ts";
import type { Context } from "./context.ts";
import { isKnown } from "./etag.ts";
import { waitForMore } from "./long-poll.ts";
import { refuse } from "./refusal.ts";
import { Spans, type Span } from "./spans.ts";
import { SseReader } from "./sse.ts";
import { cursorAfter } from "./sse-frame.ts";
import type { App } from "./zod.ts";

const LOGS: Record<LogKind, string> = { session: "/api/sessions/:id/events", task: "/api/tasks/:id/events" };

const Params = z.object({ id: z.string() });
/** Checked by hand: a Durable Streams reader expects 400 where a schema's fault is 422. */
const Query = z.object({
  offset: described("Where to begin: -1 (the default) for the beginning, now for the end, or a position"),
  live: described("What to do at the end: long-poll waits for more, sse goes on for good", {
    enum: ["long-poll", "sse"],
  }),
  cursor: described("The Stream-Cursor of the answer before, with live=long-poll"),
  store: described(
    "The store that the offset is of (GET /api/overview names it). After a backup was restored the answer is 409 other_store: without it an offset can't be told from one of the new history.",
  ),
});

function described(description: string, more: Record<string, unknown> = {}) {
  return z
    .unknown()
    .meta({ type: "string", description, ...more })
    .optional();
}

const HEEDS = {
  "Last-Event-ID": "With live=sse: the id of the last event that was seen, in place of offset",
  "If-None-Match": "With neither: the ETag of an answer to the same offset",
};

export function eventRoutes(app: App, context: Context): void {
  const spans = new Spans(context.store);
  for (const [kind, url] of Object.entries(LOGS) as [LogKind, string][]) {
    const ends = { summary: "Where the log ends", params: Params, answers: { 200: [] } };
    app.head(url, { schema: ends }, async (request, reply) => {
      const head = await headOf(context, kind, request.params.id);
      return reply
        .headers(tailHeaders(head))
        .header("cache-control", "no-store")
        .type("application/json")
        .send();
    });
    app.get(
      url,
      {
        schema: {
          summary: "Read the log: Durable Streams",
          params: Params,
          querystring: Query,
          heeds: HEEDS,
          answers: {
            200: [["application/json", "EventPage"], "text/event-stream"],
            204: [],
            304: [],
          },
        },
      },
      async (request, reply) => {
        const wish = wishOf(request);
        const head = await headOf(context, kind, request.params.id);
        const position = await startOf(context, wish, head);
        switch (wish.live) {
          case "sse":
            return followBySse(context, request, reply, head, position);
          case "long-poll":
            return answerLongPoll(context, spans, reply, head, position, wish.cursor);
          case undefined:
            return answerCatchUp(context, spans, request, reply, head, position, wish.offset);
        }
      },
    );
  }
}

type Wish = {
  offset: Position | "now";
  live: "sse" | "long-poll" | undefined;
  cursor: string | undefined;
  store: string | undefined;
};

function wishOf(request: FastifyRequest<{ Querystring: z.infer<typeof Query> }>): Wish {
  const live = single(request.query.live, "live");
  if (live !== undefined && live !== "sse" && live !== "long-poll")
    refuse("bad_request", `live is "${live}"; it can be sse or long-poll.`);
  // What the reader has seen is newer than what its URL was made with.
  const resumed = live === "sse" ? single(request.headers["last-event-id"], "Last-Event-ID") : undefined;
  const offset = resumed ?? single(request.query.offset, "offset");
  if (offset === undefined && live !== undefined)
    refuse("bad_request", `live=${live} needs an offset: -1 for the beginning, now, or a position.`);
  return {
    offset: offsetOf(offset ?? "-1"),
    live,
    cursor: single(request.query.cursor, "cursor"),
    store: single(request.query.store, "store"),
  };
}

function offsetOf(text: string): Position | "now" {
  if (text === "-1") return START;
  if (text === "now" || isPosition(text)) return text;
  return refuse(
    "bad_request",
    `"${text.slice(0, 100)}" is no offset: give -1, now, or a position (16 digits, _, 16 digits).`,
  );
}

function single(value: unknown, name: string): string | undefined {
  if (value === undefined || typeof value === "string") return value;
  return refuse("bad_request", `${name} was given more than once.`);
}

async function headOf({ store }: Context, kind: LogKind, id: string): Promise<LogHead> {
  const head = await store.head(id);
  if (head === undefined || head.kind !== kind)
    refuse("not_found", `There is no ${kind} "${id.slice(0, 100)}".`);
  return head;
}

async function startOf(
  { store }: Context,
  { offset, store: wanted }: Wish,
  head: LogHead,
): Promise<Position> {
  if (wanted !== undefined && wanted !== store.id)
    refuse(
      "other_store",
      `The position is of the store ${wanted.slice(0, 100)}, but this is ${store.id}: a restored backup or another database. Read again from offset -1.`,
      { store: store.id, position: head.position },
    );
  if (offset === "now") return head.position;
  if (offset > head.position) {
    // The head was read first and the position may be newer: only a second look can tell.
    const again = (await store.head(head.id))?.position ?? head.position;
    if (offset > again)
      refuse(
        "position_ahead",
        `The log ends at ${again}, before the given offset: it is of another store, or of a backup's future. Read again from offset -1.`,
        { position: again, store: store.id },
      );
  }
  return offset;
}

function tailHeaders(head: LogHead): Record<string, string> {
  return { "stream-next-offset": head.position, ...(head.closed && { "stream-closed": "true" }) };
}

async function answerCatchUp(
  { store, log }: Context,
  spans: Spans,
  request: FastifyRequest,
  reply: FastifyReply,
  head: LogHead,
  after: Position,
  offset: Position | "now",
): Promise<FastifyReply> {
  const span = await spans.read(head.id, after, head.position);
  void reply.headers(await spanHeaders(store, head, span));
  if (offset === "now") return sendSpan(reply.header("cache-control", "no-store"), span);
  const closed = reply.hasHeader("stream-closed") ? ":c" : "";
  const etag = `"${store.id}:${head.id}:${offset}:${span.last}${closed}"`;
  void reply.header("etag", etag).header("cache-control", "private, no-cache");
  if (isKnown(request.headers["if-none-match"], etag)) return reply.code(304).send();
  if (!span.upToDate)
    // Not before all of this has left: reading holds up the thread, and its reader would have nothing to read.
    reply.raw.once("finish", () => {
      spans
        .readAhead(head.id, span.last)
        .catch((error: unknown) => log.warn({ err: error }, "nothing was read ahead"));
    });
  return sendSpan(reply, span);
}

async function answerLongPoll(
  context: Context,
  spans: Spans,
  reply: FastifyReply,
  head: LogHead,
  after: Position,
  cursor: string | undefined,
): Promise<FastifyReply> {
  const { store } = context;
  let span = await spans.read(head.id, after, head.position);
  if (span.pages.length === 0 && !head.closed) {
    refuseTooMany(context, reply.request.caller);
    const waited = await waitForMore(context, reply, head.id, after);
    if (waited === "deleted") refuse("not_found", `${head.id} was deleted.`);
    if (waited === "shutdown") refuse("shutting_down", "The server is shutting down; ask again.");
    if (waited === "revoked") refuse("unauthorized", "The credential was revoked.");
    span = await spans.read(head.id, after, head.position);
  }
  void reply
    .headers(await spanHeaders(store, head, span))
    .header("stream-cursor", cursorAfter(cursor, context.now()))
    .header("cache-control", "no-store");
  return span.pages.length === 0 ? reply.code(204).send() : sendSpan(reply, span);
}

async function spanHeaders(store: Store, head: LogHead, span: Span): Promise<Record<string, string>> {
  // Closed is said with the last of it only; a head from before the span is too old to know.
  const now = span.last > head.position ? await store.head(head.id) : head;
  const atEnd = span.upToDate && now !== undefined && now.closed && now.position === span.last;
  return {
    "stream-next-offset": span.last,
    ...(span.upToDate && { "stream-up-to-date": "true" }),
    ...(atEnd && { "stream-closed": "true" }),
  };
}

/** A JSON array of stored texts, which are already joined by commas within a page. */
function sendSpan(reply: FastifyReply, { pages }: Span): FastifyReply {
  const parts = [OPEN, ...pages.flatMap(({ bytes }, n) => (n === 0 ? [bytes] : [COMMA, bytes])), CLOSE];
  const bytes = parts.reduce((sum, part) => sum + part.length, 0);
  void reply.type("application/json").header("content-length", bytes);
  reply.raw.once("finish", () => {
    for (const page of pages) page.release?.();
  });
  // A copy costs little for a few events; for a long log it costs the collector as much as reading it.
  return reply.send(bytes < COPIED_BYTES ? Buffer.concat(parts) : Readable.from(parts));
}
const COPIED_BYTES = 64 * 1024;
const OPEN = Buffer.from("[");
const COMMA = Buffer.from(",");
const CLOSE = Buffer.from("]");

async function followBySse(
  context: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  head: LogHead,
  position: Position,
): Promise<FastifyReply> {
  if (context.access.isRevoked(request.caller)) refuse("unauthorized", "The credential was revoked.");
  // The one answer that makes a bare EventSource stop coming back.
  if (head.closed && position === head.position && request.headers["last-event-id"] !== undefined)
    return reply.code(204).headers(tailHeaders(head)).send();
  refuseTooMany(context, request.caller);
  const reader = new SseReader(context, reply, request.caller.id, position);
  const remove = context.streams.add(reader);
  try {
    await reader.connected();
    await context.feeds.follow(head.id, reader, reader.signal);
  } catch (error) {
    request.log.error({ err: error, log: head.id }, "a reader could not be served");
    reader.gone();
  } finally {
    remove();
  }
  return reply;
}

/** Right before it is opened: nothing comes in between. */
function refuseTooMany({ streams, limits }: Context, { id }: Credential): void {
  const most = limits.streamsPerCredential;
  if (streams.countOf(id, "sse") + streams.countOf(id, "long_poll") < most) return;
  refuse(
    "too_many",
    `One credential follows at most ${most} logs at once. Close some, use another token, or follow them all over one WebSocket (/api/ws).`,
    { most },
    { "retry-after": String(TOO_MANY_RETRY_SECONDS) },
  );
}
/** Long polls end by themselves, and whoever closes a stream is heard at once. */
const TOO_MANY_RETRY_SECONDS = 5;
