// GET /api/ws: the upgrade, with the same questions as every request (host, origin, credential), and the socket's life.
import { once } from "node:events";
import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import { WebSocketServer, type WebSocket } from "ws";
import { problem, type Problem } from "../protocol/problem.ts";
import { CLOSE_BAD_FRAME, CLOSE_SHUTTING_DOWN, CLOSE_SLOW, CLOSE_UNAUTHORIZED } from "../protocol/socket.ts";
import type { Credential } from "../store/store.ts";
import { unauthorized } from "./auth.ts";
import type { Context } from "./context.ts";
import { problemOf } from "./errors.ts";
import { Outbox } from "./outbox.ts";
import { refuse } from "./refusal.ts";
import { AskRows } from "./ask-rows.ts";
import { ProcessRows } from "./process-topic.ts";
import { SessionRows } from "./session-rows.ts";
import { serverFrame } from "./socket-frame.ts";
import { Tab, type Topics } from "./tab.ts";
import type { App } from "./zod.ts";

const PATH = "/api/ws";
const FRAME_MAX_BYTES = 64 * 1024;
/** A client has a few things to say (a returning tab: one for each session), then listens. */
const FRAMES_PER_SECOND = 1_000;
/** How long a closed socket may take to say goodbye. */
const GOODBYE_MS = 1_000;
const PING = serverFrame({ op: "ping" });

export function socketRoutes(app: App): void {
  const schema = {
    summary: "One WebSocket for a whole tab",
    answers: { 101: [] },
    frames: { client: "ClientFrame", server: "ServerFrame" },
  };
  app.get(PATH, { exposeHeadRoute: false, schema }, () =>
    refuse(
      "upgrade_required",
      "Open this address as a WebSocket.",
      {},
      { upgrade: "websocket", connection: "upgrade" },
    ),
  );
}

/** What else a request offers to go on in, as HTTP/2 by `curl --http2`, need not be taken up: it is answered as it is. */
export function isSocketRequest({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === "websocket";
}

/** Returns how to let go of everything, once the goodbyes are said. */
export function acceptSockets(server: Server, context: Context): () => Promise<void> {
  const sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: FRAME_MAX_BYTES,
  });
  const stale = (error: unknown) => context.log.error({ err: error }, "a list is stale");
  const topics: Topics = {
    sessions: new SessionRows(context.store, context.damage, stale),
    asks: new AskRows(context.store, stale),
    processes: new ProcessRows(context, stale),
  };
  server.on("upgrade", (request: IncomingMessage, socket: Socket, head: Buffer) => {
    socket.on("error", () => socket.destroy()); // until ws owns it, a reset would be uncaught
    admit(context, request).then(
      (admitted) => {
        if ("problem" in admitted) return refuseUpgrade(socket, admitted.problem);
        if (!socket.writable) return;
        sockets.handleUpgrade(request, socket, head, (ws) =>
          openTab(context, topics, ws, request, socket, admitted.credential),
        );
      },
      (error: unknown) => {
        context.log.error({ err: error }, "an upgrade failed");
        refuseUpgrade(socket, problemOf(error));
      },
    );
  });
  return async () => {
    for (const topic of Object.values(topics)) topic.close();
    const timer = setTimeout(() => {
      for (const ws of sockets.clients) ws.terminate();
    }, GOODBYE_MS);
    await Promise.all(Array.from(sockets.clients, (ws) => once(ws, "close")));
    clearTimeout(timer);
    sockets.close();
  };
}

async function admit(
  { gate, access, streams, limits, closing }: Context,
  request: IncomingMessage,
): Promise<{ credential: Credential } | { problem: Problem }> {
  if (closing())
    return { problem: problem("shutting_down", "The server is shutting down; come back in a moment.") };
  const refused = gate.hostRefusal(request.headers) ?? gate.originRefusal(request.headers);
  if (refused !== undefined) return { problem: refused };
  const credential = await access.credentialOf(request.headers);
  if (credential === undefined || access.isRevoked(credential))
    return {
      problem: unauthorized(request.headers),
    };
  if (request.url?.split("?", 1)[0] !== PATH)
    return { problem: problem("not_found", `There is no WebSocket at this address; it is ${PATH}.`) };
  if (streams.countOf(credential.id, "ws") >= limits.socketsPerCredential)
    return {
      problem: problem("too_many", `One credential has at most ${limits.socketsPerCredential} sockets.`),
    };
  return { credential };
}

function refuseUpgrade(socket: Socket, document: Problem): void {
  if (!socket.writable) return void socket.destroy();
  const body = JSON.stringify(document);
  socket.end(
    `HTTP/1.1 ${document.status} ${document.title}\r\nconnection: close\r\ncontent-type: application/problem+json\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

function openTab(
  context: Context,
  topics: Topics,
  ws: WebSocket,
  { headers }: IncomingMessage,
  socket: Socket,
  credential: Credential,
): void {
  let isClosed = false;
  const close = (code: number, reason: string) => {
    if (isClosed) return;
    isClosed = true;
    ws.close(code, reason);
    // From here on it is not served, whether or not it heeds the goodbye.
    outbox.close();
    tab.end();
    // A reader that does not read never answers the goodbye.
    setTimeout(() => ws.terminate(), GOODBYE_MS).unref();
  };
  const outbox = new Outbox(socket, context.limits, {
    overflowed: () => tab.overflowed(),
    drained: () => tab.drained(),
    stuck: () => close(CLOSE_SLOW, "did not read for too long"),
  });
  const tab = new Tab(context, topics, outbox, credential, headers);
  const remove = context.streams.add({
    kind: "ws",
    credential: credential.id,
    heartbeat: () => void outbox.send(PING),
    close: (reason) =>
      reason === "revoked"
        ? close(CLOSE_UNAUTHORIZED, "the credential was revoked")
        : close(CLOSE_SHUTTING_DOWN, "the server is shutting down"),
  });
  const isAllowed = makeRate(context.now, FRAMES_PER_SECOND);
  ws.on("message", (data: Buffer, isBinary) => {
    if (isClosed) return;
    if (!isAllowed()) return close(CLOSE_BAD_FRAME, "too many frames");
    if (isBinary || !tab.take(data.toString())) close(CLOSE_BAD_FRAME, "a frame is one JSON object as text");
  });
  ws.on("error", (error) => context.log.debug({ err: error }, "a socket broke"));
  ws.on("close", () => {
    tab.end();
    remove();
  });
}

/** So many in each second. */
function makeRate(now: () => number, perSecond: number): () => boolean {
  let second = 0;
  let count = 0;
  return () => {
    const current = Math.floor(now() / 1000);
    if (current !== second) [second, count] = [current, 0];
    return ++count <= perSecond;
  };
}
