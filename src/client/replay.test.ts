import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { WebSocketServer, type WebSocket } from "ws";
import { CLOSE_UNAUTHORIZED } from "../protocol/close.ts";
import { problem } from "../protocol/problem.ts";
import type { ClientFrame, ServerFrame } from "../protocol/socket.ts";
import type { AnyEvent } from "../session/event.ts";
import { formatPosition, START, type Position } from "../session/position.ts";
import { emptyView } from "../session/view.ts";
import type { Delivery } from "./attachment.ts";
import { createClient } from "./commands.ts";
import { connect } from "./connect.ts";
import { liveList } from "./live-list.ts";
import { replay } from "./replay.ts";

const session = "ses_1";
const cleanups: (() => void)[] = [];
afterEach(() => cleanups.splice(0).forEach((cleanup) => cleanup()));

const notice = (seq: number): AnyEvent => ({
  position: formatPosition(seq, 0),
  at: "2026-01-01T00:00:00.000Z",
  by: { keeper: "test" },
  type: "notice",
  data: { level: "info", text: `fact ${seq}` },
});

/** A small real server: two events a page, one log, and what is said on its sockets in the test's hand. */
async function startLog(facts: number) {
  const log = Array.from({ length: facts }, (_, n) => notice(n + 1));
  const state = { store: "sto_1", token: "secret", heartbeatMs: 60_000, status: 200 };
  const pages: Position[] = [];
  const heard: ClientFrame[] = [];
  const sockets: WebSocket[] = [];

  const server = createServer((request, response) => {
    if (request.headers.authorization !== `Bearer ${state.token}`)
      return refuse(response, problem("unauthorized", "log in"));
    if (state.status !== 200) return refuse(response, problem("not_ready", "a moment"));
    if (request.url === "/api/me") return void response.end("{}");
    const query = new URL(request.url ?? "", "http://x").searchParams;
    if (query.get("store") !== state.store) return refuse(response, problem("other_store", "not mine"));
    const offset = query.get("offset") as Position;
    const after = log.filter(({ position }) => position > offset);
    pages.push(offset);
    if (after.length <= 2) response.setHeader("stream-up-to-date", "true");
    response.setHeader("content-type", "application/json").end(JSON.stringify(after.slice(0, 2)));
  });
  const upgrades = new WebSocketServer({ noServer: true });
  server.on("upgrade", (request: IncomingMessage, socket, head) => {
    if (request.headers.authorization !== `Bearer ${state.token}`)
      return void socket.end("HTTP/1.1 401 No\r\n\r\n");
    upgrades.handleUpgrade(request, socket, head, (ws) => {
      sockets.push(ws);
      ws.on("message", (data: Buffer) => heard.push(JSON.parse(data.toString()) as ClientFrame));
      const { store, heartbeatMs } = state;
      ws.send(
        JSON.stringify({
          op: "hello",
          store,
          version: "1",
          person: "owner",
          heartbeatMs,
        } satisfies ServerFrame),
      );
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = createClient({ url, token: "secret", patienceMs: 0 });
  const socket = connect(client);
  cleanups.push(() => {
    socket.close();
    for (const ws of sockets) ws.terminate();
    server.closeAllConnections();
    server.close();
  });
  return {
    log,
    state,
    pages,
    heard,
    client,
    socket,
    sockets,
    say: (frame: ServerFrame) => sockets.at(-1)?.send(JSON.stringify(frame)),
    attaches: () => heard.filter(({ op }) => op === "attach"),
  };
}

function refuse(response: ServerResponse, document: ReturnType<typeof problem>): void {
  response
    .writeHead(document.status, { "content-type": "application/problem+json" })
    .end(JSON.stringify(document));
}

function seqs(deliveries: readonly Delivery[]): number[] {
  return deliveries.flatMap((delivery) =>
    delivery.type === "events" ? delivery.events.map(({ position }) => Number(position.slice(0, 16))) : [],
  );
}

test("what lies behind comes in pages, what happens comes on the socket, and nothing twice", async () => {
  const server = await startLog(5);
  const got: Delivery[] = [];
  replay(server.client, server.socket, session, START, (delivery) => void got.push(delivery));
  await vi.waitFor(() => expect(server.attaches()).toHaveLength(1));
  expect(seqs(got)).toEqual([1, 2, 3, 4, 5]);
  expect(server.pages).toEqual([START, formatPosition(2, 0), formatPosition(4, 0)]);
  expect(server.attaches()).toEqual([{ op: "attach", session, after: formatPosition(5, 0), store: "sto_1" }]);
  server.say({ op: "events", session, events: [notice(5), notice(6)] });
  await vi.waitFor(() => expect(seqs(got)).toEqual([1, 2, 3, 4, 5, 6]));
});

test("where the socket would skip ahead to a view, the pages fill in", async () => {
  const server = await startLog(2);
  const got: Delivery[] = [];
  replay(server.client, server.socket, session, START, (delivery) => void got.push(delivery));
  await vi.waitFor(() => expect(server.attaches()).toHaveLength(1));
  server.log.push(notice(3), notice(4), notice(5));
  server.say({
    op: "resync",
    session,
    view: { ...emptyView(), position: formatPosition(5, 0) },
    reason: "far_behind",
  });
  await vi.waitFor(() => expect(server.attaches()).toHaveLength(2));
  expect(seqs(got)).toEqual([1, 2, 3, 4, 5]);
  expect(got.some(({ type }) => type === "resync")).toBe(false);
});

test("a lost connection is waited out and goes on where it was; a page that fails is asked for again", async () => {
  const server = await startLog(2);
  const got: Delivery[] = [];
  replay(server.client, server.socket, session, START, (delivery) => void got.push(delivery));
  await vi.waitFor(() => expect(server.attaches()).toHaveLength(1));
  server.sockets[0]?.terminate();
  await vi.waitFor(() => expect(server.attaches()).toHaveLength(2), 4_000);
  expect(server.attaches()[1]).toEqual({
    op: "attach",
    session,
    after: formatPosition(2, 0),
    store: "sto_1",
  });

  server.state.status = 503;
  server.log.push(notice(3));
  server.say({
    op: "resync",
    session,
    view: { ...emptyView(), position: formatPosition(3, 0) },
    reason: "overflow",
  });
  await vi.waitFor(() => expect(server.heard.at(-1)?.op).toBe("leave"));
  server.state.status = 200;
  await vi.waitFor(() => expect(seqs(got)).toEqual([1, 2, 3]), 4_000);
});

test("a store that was replaced is noticed and told, and its positions are not mixed with the old ones", async () => {
  const server = await startLog(3);
  const got: Delivery[] = [];
  replay(server.client, server.socket, session, START, (delivery) => void got.push(delivery));
  await vi.waitFor(() => expect(server.attaches()).toHaveLength(1));
  server.state.store = "sto_2";
  server.sockets[0]?.terminate();
  await vi.waitFor(() => expect(server.attaches()).toHaveLength(2), 4_000);
  expect(server.attaches()[1]).toMatchObject({ after: formatPosition(3, 0), store: "sto_1" });
  server.say({
    op: "resync",
    session,
    view: { ...emptyView(), position: formatPosition(1, 0) },
    reason: "other_store",
  });
  server.say({ op: "events", session, events: [notice(2)] });
  await vi.waitFor(() => expect(seqs(got)).toEqual([1, 2, 3, 2]));
  expect(got.filter(({ type }) => type === "resync")).toHaveLength(1);
});

test("a reader that can take no more leaves the rest in the log until it can", async () => {
  const server = await startLog(2);
  const got: Delivery[] = [];
  let release = () => {};
  replay(server.client, server.socket, session, START, (delivery) => {
    got.push(delivery);
    if (seqs([delivery]).includes(3)) return new Promise<void>((resolve) => (release = resolve));
    return undefined;
  });
  await vi.waitFor(() => expect(server.attaches()).toHaveLength(1));
  server.log.push(notice(3), notice(4));
  server.say({ op: "events", session, events: [notice(3)] });
  await vi.waitFor(() => expect(server.heard.at(-1)).toEqual({ op: "leave", session }));
  server.say({ op: "events", session, events: [notice(4)] });
  expect(seqs(got)).toEqual([1, 2, 3]);
  release();
  await vi.waitFor(() => expect(server.attaches()).toHaveLength(2));
  expect(seqs(got)).toEqual([1, 2, 3, 4]);
});

test("a token that is no longer good ends the tries, and says so", async () => {
  const server = await startLog(1);
  await vi.waitFor(() => expect(server.socket.connection.state).toBe("connected"));
  server.state.token = "another";
  server.sockets[0]?.close(CLOSE_UNAUTHORIZED);
  await vi.waitFor(() =>
    expect(server.socket.connection).toMatchObject({ state: "refused", problem: { code: "unauthorized" } }),
  );
  server.state.token = "secret";
  server.socket.retryNow();
  await vi.waitFor(() => expect(server.socket.connection.state).toBe("connected"), 4_000);
});

test("a server that falls silent is left for another connection", async () => {
  const server = await startLog(1);
  await vi.waitFor(() => expect(server.socket.connection.state).toBe("connected"));
  server.state.heartbeatMs = 10;
  server.sockets[0]?.terminate();
  await vi.waitFor(() => expect(server.sockets.length).toBeGreaterThan(2), 4_000);
});

test("the list of sessions is whole at first and again after a gap, and follows every change between", async () => {
  const server = await startLog(1);
  const row = (id: string, title: string) => ({ id, title }) as never;
  const list = liveList(server.socket, () => {});
  const titles = () => Array.from(list.rows.values(), ({ title }) => title);
  await vi.waitFor(() => expect(server.heard).toEqual([{ op: "watch", topic: "sessions" }]));
  server.say({
    op: "rows",
    topic: "sessions",
    rows: [row("ses_1", "one"), row("ses_2", "two")],
    whole: true,
  });
  server.say({ op: "rows", topic: "sessions", rows: [row("ses_1", "ONE")], gone: ["ses_2"], whole: false });
  await vi.waitFor(() => expect(titles()).toEqual(["ONE"]));
  server.sockets[0]?.terminate();
  await vi.waitFor(() => expect(server.heard).toHaveLength(2), 4_000);
  server.say({ op: "rows", topic: "sessions", rows: [row("ses_3", "three")], whole: true });
  await vi.waitFor(() => expect(titles()).toEqual(["three"]));
});
