import { once } from "node:events";
import { request, type IncomingMessage } from "node:http";
import { json } from "node:stream/consumers";
import { expect, test } from "vitest";
import {
  TOKEN,
  type OpenServer,
  type TestSocket,
  openServer,
  until,
  useServer,
} from "../../test/open-server.ts";
import { CLOSE_BAD_FRAME, CLOSE_SLOW } from "../protocol/close.ts";
import type { NewEvent } from "../session/event.ts";
import { formatPosition, START, type Position } from "../session/position.ts";

const shared = useServer();

test("the server greets, then beats as data", async () => {
  const server = await openServer({ limits: { heartbeatMs: 5 } });
  const socket = await server.socket();
  expect(await socket.next("hello")).toEqual({
    op: "hello",
    store: server.store.id,
    version: "0.0.0-test",
    person: "owner",
    heartbeatMs: 5,
  });
  await socket.next("ping");
  await socket.next("ping");
});

test("attaching without a position gives the view, then what happens", async () => {
  const server = shared();
  const { id, position } = await server.newSession({ title: "T", input: { kind: "prompt", text: "hi" } });
  const socket = await server.socket();
  socket.send({ op: "attach", session: id });
  const { view, reason } = await socket.next("resync");
  expect([reason, view.position, view.meta.title]).toEqual(["first", position, "T"]);
  expect((await socket.next("caught_up")).position).toBe(position);
  await append(server, id, 3);
  expect(await seen(socket, id, 3)).toEqual(positions(3, 5));
});

test("attaching with a position replays what was missed, says what that was, and goes on without a gap", async () => {
  const server = shared();
  const { id } = await server.newSession();
  await append(server, id, 100);
  const socket = await server.socket();
  socket.send({ op: "attach", session: id, after: formatPosition(40, 0), store: server.store.id });
  const appending = (async () => {
    for (let n = 0; n < 50; n++) await append(server, id, 2);
  })();
  await appending;
  expect(await seen(socket, id, 161)).toEqual(positions(41, 201));
  expect(socket.frames.filter(({ op }) => op === "resync")).toEqual([]);
  await server.call("POST", `/api/sessions/${id}/inputs`, { kind: "prompt", text: "mine" });
  const other = await server.socket();
  other.send({ op: "attach", session: id, after: formatPosition(40, 0) });
  expect((await other.next("caught_up")).missed).toEqual({ messages: 0, tools: 0, asks: 0 });
});

test("missed counts messages by others, finished tools and open asks since the given position, else since seen", async () => {
  const server = shared();
  const { id, position } = await server.newSession();
  await write(server, id, [
    { type: "step_completed", data: { step: "s1", attempt: 1, message: [{ type: "text", text: "done" }] } },
    { type: "tool_finished", data: { call: "c1", status: "ok", result: "" } },
    { type: "ask_opened", data: { ask: "ask_1", kind: "approval", title: "May I?" } },
  ]);
  const socket = await server.socket();
  socket.send({ op: "attach", session: id, after: position });
  expect((await socket.next("caught_up")).missed).toEqual({ messages: 1, tools: 1, asks: 1 });
  socket.send({ op: "attach", session: id });
  expect((await socket.next("caught_up")).missed).toEqual({ messages: 1, tools: 1, asks: 1 });
  await server.call("PUT", `/api/sessions/${id}/seen`, { position: formatPosition(3, 0) });
  socket.send({ op: "attach", session: id });
  const { missed, since } = await socket.next("caught_up");
  expect(missed).toMatchObject({ messages: 0, tools: 0 });
  expect(since).toBe(formatPosition(3, 0));
});

test.each([
  ["ahead", (server: OpenServer) => ({ after: formatPosition(999, 0), store: server.store.id })],
  ["other_store", () => ({ after: formatPosition(1, 0), store: "sto_other" })],
  ["far_behind", () => ({ after: START })],
] as const)("a position that can't be replayed from is answered with the view: %s", async (reason, start) => {
  const server = shared();
  const { id } = await server.newSession();
  if (reason === "far_behind") await append(server, id, 2_100);
  const socket = await server.socket();
  socket.send({ op: "attach", session: id, ...start(server) });
  const resync = await socket.next("resync");
  expect([resync.reason, resync.view.position]).toEqual([reason, (await server.store.head(id))!.position]);
  expect((await socket.next("caught_up")).position).toBe(resync.view.position);
  expect(socket.frames.filter(({ op }) => op === "events")).toEqual([]);
});

test.each([
  ["ahead", (server: OpenServer) => server.store.id],
  ["other_store", () => "sto_other"],
] as const)(
  "what was missed is counted from what was seen when the position means nothing here: %s",
  async (reason, storeOf) => {
    const server = shared();
    const { id } = await server.newSession();
    await server.call("POST", `/api/sessions/${id}/inputs`, { kind: "prompt", text: "read" });
    const seen = (await server.store.head(id))!.position;
    await server.call("PUT", `/api/sessions/${id}/seen`, { position: seen });
    await write(server, id, [
      {
        type: "step_completed",
        data: { step: "s", attempt: 1, message: [{ type: "text", text: "unread" }] },
      },
    ]);
    const socket = await server.socket();
    socket.send({ op: "attach", session: id, after: formatPosition(999, 0), store: storeOf(server) });
    expect((await socket.next("resync")).reason).toBe(reason);
    expect(await socket.next("caught_up")).toMatchObject({ since: seen, missed: { messages: 1 } });
  },
);

test("more than 2 MB of missed events are answered with the view", async () => {
  const server = shared();
  const { id, position } = await server.newSession();
  const text = "x".repeat(60_000);
  for (let n = 0; n < 40; n++) await write(server, id, [{ type: "notice", data: { level: "info", text } }]);
  const socket = await server.socket();
  socket.send({ op: "attach", session: id, after: position });
  expect((await socket.next("resync")).reason).toBe("far_behind");
  await socket.next("caught_up");
  await append(server, id, 1);
  await socket.next("events", ({ events }) =>
    events.some((event) => event.position === formatPosition(42, 0)),
  );
});

test("one socket follows many sessions, leaves some, and is told of each apart", async () => {
  const server = shared();
  const sessions = await Promise.all(Array.from({ length: 20 }, () => server.newSession()));
  const socket = await server.socket();
  for (const { id, position } of sessions) socket.send({ op: "attach", session: id, after: position });
  for (const { id } of sessions) await socket.next("caught_up", ({ session }) => session === id);
  const [left, ...rest] = sessions;
  socket.send({ op: "leave", session: left!.id });
  socket.send({ op: "attach", session: rest[0]!.id }); // answered in order, so the leaving is done by then
  await socket.next("resync");
  await Promise.all(sessions.map(({ id }) => append(server, id, 1)));
  for (const { id } of rest) await socket.next("events", ({ session }) => session === id);
  expect(socket.frames.filter((frame) => frame.op === "events" && frame.session === left!.id)).toEqual([]);
});

test("the end of a session is told after its last event; a deleted one is told as not found", async () => {
  const server = shared();
  const [ending, deleted] = [await server.newSession(), await server.newSession()];
  const socket = await server.socket();
  for (const { id, position } of [ending, deleted]) {
    socket.send({ op: "attach", session: id, after: position });
    await socket.next("caught_up");
  }
  await write(server, ending.id, [{ type: "session_ended", data: { reason: "test" } }]);
  const { position } = await socket.next("closed");
  const last = socket.frames.findLast((frame) => frame.op === "events" && frame.session === ending.id);
  expect(last?.op === "events" && last.events.at(-1)).toMatchObject({ position, type: "session_ended" });
  await server.call("DELETE", `/api/sessions/${deleted.id}`, undefined, 204);
  expect(await socket.next("error")).toMatchObject({ code: "not_found", session: deleted.id });
  socket.send({ op: "attach", session: "ses_nothing" });
  expect(await socket.next("error")).toMatchObject({ code: "not_found", session: "ses_nothing" });
});

test("watching sessions gives all rows, then those that change, then those that are gone", async () => {
  const server = await openServer();
  const { id } = await server.newSession({ title: "first" });
  const socket = await server.socket();
  socket.send({ op: "watch", topic: "sessions" });
  const whole = await socket.next("rows");
  expect(whole).toMatchObject({ whole: true, rows: [{ title: "first" }] });
  await server.call("PATCH", `/api/sessions/${id}`, { title: "renamed" });
  await socket.next("rows", (frame) => frame.topic === "sessions" && frame.rows[0]?.title === "renamed");
  await server.call("PATCH", `/api/sessions/${id}`, { pinned: true });
  await socket.next("rows", (frame) => frame.topic === "sessions" && frame.rows[0]?.pinned === true);
  const { id: second } = await server.newSession({ title: "second" });
  await socket.next("rows", ({ rows }) => rows.some((row) => row.id === second));
  await server.call("DELETE", `/api/sessions/${id}`, undefined, 204);
  await socket.next("rows", ({ gone }) => gone?.includes(id) === true);
});

test("a delegate is among the rows for as long as it works, and no longer", async () => {
  const server = await openServer();
  const { id } = await server.newSession({ title: "parent" });
  const origin = { kind: "delegation", session: id } as const;
  const delegates = { keeper: "delegates" };
  await server.store.createSession({ id: "ses_idle", profile: "default", origin }, delegates);
  await server.store.createSession({ id: "ses_busy", profile: "default", origin }, delegates);
  await write(server, "ses_busy", [{ type: "turn_started", data: { turn: "t", inputs: [] } }]);
  const socket = await server.socket();
  socket.send({ op: "watch", topic: "sessions" });
  const whole = await socket.next("rows", (frame) => frame.whole);
  expect(whole.rows.map((row) => row.id).toSorted()).toEqual([id, "ses_busy"].toSorted());
  await write(server, "ses_idle", [{ type: "turn_started", data: { turn: "t", inputs: [] } }]);
  await socket.next("rows", ({ rows }) => rows.some((row) => row.id === "ses_idle"));
  await write(server, "ses_idle", [{ type: "turn_ended", data: { turn: "t", outcome: "completed" } }]);
  await socket.next("rows", ({ gone }) => gone?.includes("ses_idle") === true);
});

test("reading on one device is shown on the other", async () => {
  const server = await openServer();
  const { id } = await server.newSession();
  await write(server, id, [
    { type: "step_completed", data: { step: "s", attempt: 1, message: [{ type: "text", text: "x" }] } },
  ]);
  const socket = await server.socket();
  socket.send({ op: "watch", topic: "sessions" });
  expect((await socket.next("rows")).rows).toMatchObject([{ unread: 1 }]);
  await server.call("PUT", `/api/sessions/${id}/seen`, { position: formatPosition(2, 0) });
  await socket.next("rows", (frame) => frame.topic === "sessions" && frame.rows[0]?.unread === 0);
});

test("a reader that does not read is held at 1 MB, resynced once it does, and slows nobody", async () => {
  const server = await openServer();
  const { id, position } = await server.newSession();
  const [slow, quick] = [await server.socket(), await server.socket()];
  for (const socket of [slow, quick]) {
    socket.send({ op: "attach", session: id, after: position });
    await socket.next("caught_up");
  }
  slow.send({ op: "watch", topic: "sessions" });
  await slow.next("rows");
  slow.ws.pause();
  const overflows = async () =>
    Number(
      /holdfast_slow_readers_total\{kind="ws"\} (\d+)/.exec(
        await (await server.fetch("/metrics")).text(),
      )?.[1] ?? 0,
    );
  const text = "x".repeat(50_000);
  let count = 0;
  while ((await overflows()) === 0 && count < 2_000) {
    await write(server, id, [{ type: "notice", data: { level: "info", text } }]);
    count++;
    await quick.next("events", ({ events }) => events.at(-1)!.position === formatPosition(1 + count, 0));
  }
  expect(await overflows()).toBe(1);
  slow.ws.resume();
  const { view, reason } = await slow.next("resync");
  expect([reason, view.position]).toEqual(["overflow", formatPosition(1 + count, 0)]);
  await slow.next("caught_up");
  await slow.next("rows", ({ whole }) => whole);
  await append(server, id, 1);
  await slow.next("events", ({ events }) => events.at(-1)!.position === formatPosition(2 + count, 0));
  expect(quick.frames.filter(({ op }) => op === "resync")).toEqual([]);
});

test("a reader that does not read for too long is closed with its own code", async () => {
  const server = await openServer({ limits: { stuckMs: 50, queueBytes: 64 * 1024 } });
  const { id, position } = await server.newSession();
  const slow = await server.socket();
  slow.send({ op: "attach", session: id, after: position });
  await slow.next("caught_up");
  slow.ws.pause();
  const connected = async () =>
    (await (await server.fetch("/metrics")).text()).includes('holdfast_readers{kind="ws"} 1');
  const text = "x".repeat(50_000);
  while (await connected()) await write(server, id, [{ type: "notice", data: { level: "info", text } }]);
  slow.ws.resume();
  expect([CLOSE_SLOW, 1006]).toContain((await slow.closed).code); // the goodbye may be lost with what it did not read
});

test("what is no frame closes the socket; what is no such frame is told", async () => {
  const server = shared();
  const socket = await server.socket();
  socket.ws.send(JSON.stringify({ op: "dance" }));
  expect(await socket.next("error")).toMatchObject({ code: "schema" });
  socket.ws.send(JSON.stringify({ op: "attach", session: "x", after: "12" }));
  expect((await socket.next("error")).detail).toContain("after");
  socket.ws.send("{");
  expect((await socket.closed).code).toBe(CLOSE_BAD_FRAME);
  const binary = await server.socket();
  binary.ws.send(Buffer.from("{}"));
  expect((await binary.closed).code).toBe(CLOSE_BAD_FRAME);
  const huge = await server.socket();
  huge.ws.send("x".repeat(100_000));
  expect((await huge.closed).code).toBe(1009);
});

test("attachments on a socket and sockets of a credential are bounded", async () => {
  const server = await openServer({ limits: { attachmentsPerSocket: 2, socketsPerCredential: 2 } });
  const socket = await server.socket();
  for (let n = 0; n < 3; n++) socket.send({ op: "attach", session: (await server.newSession()).id });
  expect(await socket.next("error")).toMatchObject({ code: "too_many" });
  await server.socket();
  await expect(server.socket()).rejects.toThrow("429");
});

test("what can't be attached to, or is no longer there, takes no place on its socket", async () => {
  const server = await openServer({ limits: { attachmentsPerSocket: 2 } });
  const socket = await server.socket();
  for (let n = 0; n < 3; n++) {
    socket.send({ op: "attach", session: `ses_unknown_${n}` });
    expect(await socket.next("error")).toMatchObject({ code: "not_found" });
    socket.send({ op: "attach", process: `prc_unknown_${n}` });
    expect(await socket.next("error")).toMatchObject({ code: "not_found" });
  }
  for (let n = 0; n < 3; n++) {
    const { id } = await server.newSession();
    socket.send({ op: "attach", session: id });
    await socket.next("caught_up");
    await server.call("DELETE", `/api/sessions/${id}`);
    expect(await socket.next("error")).toMatchObject({ code: "not_found", session: id });
  }
});

test("a plain request for the socket's address is told what it is", async () => {
  const server = shared();
  expect(await server.call("GET", "/api/ws", undefined, 426)).toMatchObject({ code: "upgrade_required" });
});

test("an offer to go on in another protocol is passed over, and the request answered", async () => {
  const server = shared();
  const ask = async (method: string, path: string, body = "") => {
    const asked = request(server.url + path, {
      method,
      headers: {
        authorization: `Bearer ${TOKEN}`,
        connection: "Upgrade, HTTP2-Settings", // as `curl --http2` offers it
        upgrade: "h2c",
        "http2-settings": "AAMAAABkAAQAAP__",
        ...(body !== "" && { "content-type": "application/json" }),
      },
    });
    asked.end(body);
    const [answer] = (await once(asked, "response")) as [IncomingMessage];
    return { status: answer.statusCode, body: await json(answer) };
  };
  expect(await ask("GET", "/healthz")).toMatchObject({ status: 200 });
  expect(await ask("POST", "/api/sessions", '{"title":"by curl"}')).toMatchObject({
    status: 201,
    body: { title: "by curl" },
  });
  expect(await ask("GET", "/api/ws")).toMatchObject({ status: 426, body: { code: "upgrade_required" } });
});

async function seen(socket: TestSocket, session: string, count: number): Promise<Position[]> {
  const all = () =>
    socket.frames.flatMap((frame) =>
      frame.op === "events" && frame.session === session ? frame.events : [],
    );
  await until(() => all().length >= count);
  return all().map(({ position }) => position);
}

function positions(from: number, to: number): string[] {
  return Array.from({ length: to - from + 1 }, (_, n) => formatPosition(from + n, 0));
}

async function append(server: OpenServer, id: string, count: number): Promise<void> {
  await write(
    server,
    id,
    Array.from({ length: count }, (_, n) => ({ type: "notice", data: { level: "info", text: `n${n}` } })),
  );
}

async function write(server: OpenServer, id: string, events: NewEvent[]): Promise<void> {
  const appended = await server.store.append(id, events, { by: "client", author: { person: "someone" } });
  if (!appended.ok) throw new Error(appended.code);
}
