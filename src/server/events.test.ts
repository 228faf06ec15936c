import { connect } from "node:net";
import { DurableStream } from "@durable-streams/client";
import { expect, onTestFinished, test } from "vitest";
import { type OpenServer, TOKEN, openServer, override, until, useServer } from "../../test/open-server.ts";
import type { AnyEvent, NewEvent } from "../session/event.ts";
import { formatPosition, START } from "../session/position.ts";
import { LIMITS } from "./context.ts";

const shared = useServer();

test("a catch-up read gives the log in pages until it is up to date", async () => {
  const server = shared();
  const { id } = await server.newSession();
  await append(server, id, 2_500);
  const seen: AnyEvent[] = [];
  let offset = "-1";
  let answer: Response;
  do {
    answer = await server.fetch(events(id, `offset=${offset}`));
    expect(answer.headers.get("content-type")).toBe("application/json");
    seen.push(...((await answer.json()) as AnyEvent[]));
    offset = answer.headers.get("stream-next-offset")!;
    expect(offset).toBe(seen.at(-1)!.position);
  } while (answer.headers.get("stream-up-to-date") === null);
  expect(seen.map(({ position }) => position)).toEqual(positions(1, 2_501));
  expect(answer.headers.get("stream-closed")).toBeNull();
  const more = await server.fetch(events(id, `offset=${offset}`));
  expect([more.status, await more.json(), more.headers.get("stream-next-offset")]).toEqual([200, [], offset]);
});

test("one credential follows so many logs at once, by server-sent events and long polls together, and others are not held up", async () => {
  const server = await openServer({ limits: { streamsPerCredential: 2 } });
  const { id } = await server.newSession();
  const { token } = await server.call<{ token: string }>("POST", "/api/tokens", { name: "other" });
  const leaving = new AbortController();
  const follow = (live: string, headers = {}) =>
    server.fetch(events(id, `offset=now&live=${live}`), { headers, signal: leaving.signal });
  const stream = await follow("sse");
  const polling = follow("long-poll");
  await until(async () => (await readers(server, "long_poll")) === 1);
  for (const live of ["sse", "long-poll"]) {
    const refused = await follow(live);
    expect([refused.status, refused.headers.get("content-type"), refused.headers.get("retry-after")]).toEqual(
      [429, "application/problem+json", "5"],
    );
    expect(await refused.json()).toMatchObject({ code: "too_many", most: 2 });
  }
  expect((await server.fetch(events(id, "offset=-1"))).status).toBe(200); // what ends at once is not counted
  expect((await follow("sse", { authorization: `Bearer ${token}` })).status).toBe(200);
  await append(server, id, 1);
  expect((await polling).status).toBe(200);
  expect((await follow("sse")).status).toBe(200); // the poll's place is free
  leaving.abort();
  await until(async () => (await readers(server, "sse")) === 0);
  expect((await server.fetch(events(id, "offset=now&live=sse"))).status).toBe(200);
  expect(stream.status).toBe(200);
});

test("by default one credential has room for thousands of readers", () => {
  expect(LIMITS.streamsPerCredential).toBeGreaterThanOrEqual(2_000);
});

test("a log of several megabytes is read span by span, each event once, while it grows", async () => {
  const server = shared();
  const { id } = await server.newSession();
  const text = "x".repeat(60_000);
  for (let n = 0; n < 120; n++) await write(server, id, [{ type: "notice", data: { level: "info", text } }]);
  const seen: AnyEvent[] = [];
  let answers = 0;
  for (let offset = "-1", upToDate = false; !upToDate; answers++) {
    const answer = await server.fetch(events(id, `offset=${offset}`));
    seen.push(...((await answer.json()) as AnyEvent[]));
    offset = answer.headers.get("stream-next-offset")!;
    upToDate = answer.headers.get("stream-up-to-date") === "true";
    if (answers < 2) await append(server, id, 1);
  }
  expect(answers).toBeGreaterThan(2);
  expect(seen.map(({ position }) => position)).toEqual(positions(1, 123));
});

test("a reader that pauses in a long replay gets what was written, whatever others read meanwhile", async () => {
  const server = shared();
  const { id } = await server.newSession();
  const texts = Array.from({ length: 100 }, (_, n) => String.fromCharCode(97 + (n % 26)).repeat(60_000 + n));
  for (const text of texts) await write(server, id, [{ type: "notice", data: { level: "info", text } }]);
  const [slowPages, slowStream] = await Promise.all([
    server.fetch(events(id, "offset=-1")), // their bodies wait
    server.fetch(events(id, "offset=-1&live=sse")),
  ]);
  for (let n = 0; n < 3; n++) {
    const stream = sse(await server.fetch(events(id, "offset=-1&live=sse")));
    await stream.next("control", ({ data }) => data.includes("upToDate"));
    expect(textsOf(stream.events())).toEqual(texts);
    const page = (await (await server.fetch(events(id, "offset=-1"))).json()) as AnyEvent[];
    expect(textsOf(page)).toEqual(texts.slice(0, page.length - 1));
  }
  const first = (await slowPages.json()) as AnyEvent[];
  expect(textsOf(first)).toEqual(texts.slice(0, first.length - 1));
  const slow = sse(slowStream);
  await slow.next("control", ({ data }) => data.includes("upToDate"));
  expect(textsOf(slow.events())).toEqual(texts);
});

test("offset=now is the end of the log, and HEAD says where that is", async () => {
  const server = shared();
  const { id, position } = await server.newSession();
  const now = await server.fetch(events(id, "offset=now"));
  expect(await now.json()).toEqual([]);
  expect(now.headers.get("stream-next-offset")).toBe(position);
  expect(now.headers.get("stream-up-to-date")).toBe("true");
  expect(now.headers.get("etag")).toBeNull();
  const head = await server.fetch(events(id), { method: "HEAD" });
  expect([head.status, head.headers.get("stream-next-offset")]).toEqual([200, position]);
});

test("what has not changed is not sent again", async () => {
  const server = shared();
  const { id } = await server.newSession();
  const first = await server.fetch(events(id, "offset=-1"));
  const etag = first.headers.get("etag")!;
  const again = await server.fetch(events(id, "offset=-1"), { headers: { "if-none-match": etag } });
  expect(again.status).toBe(304);
  await append(server, id, 1);
  const changed = await server.fetch(events(id, "offset=-1"), { headers: { "if-none-match": etag } });
  expect(changed.status).toBe(200);
  expect(changed.headers.get("etag")).not.toBe(etag);
});

test("the end of a session closes its stream, for catch-up, long-poll and server-sent events", async () => {
  const server = shared();
  const { id } = await server.newSession();
  const waiting = server.fetch(events(id, "offset=now&live=long-poll"));
  const stream = sse(await server.fetch(events(id, "offset=now&live=sse")));
  await stream.next("control");
  await end(server, id);
  const polled = await waiting;
  expect([polled.status, polled.headers.get("stream-closed")]).toEqual([200, "true"]);
  expect(JSON.parse((await stream.next("data")).data)).toMatchObject([{ type: "session_ended" }]);
  const { data } = await stream.next("control", (frame) => frame.data.includes("streamClosed"));
  expect(JSON.parse(data)).toEqual({ streamNextOffset: formatPosition(2, 0), streamClosed: true });
  await stream.ended;

  const caughtUp = await server.fetch(events(id, "offset=-1"));
  expect(caughtUp.headers.get("stream-closed")).toBe("true");
  const polledAgain = await server.fetch(events(id, `offset=${formatPosition(2, 0)}&live=long-poll`));
  expect([polledAgain.status, polledAgain.headers.get("stream-closed")]).toEqual([204, "true"]);
  const returned = await server.fetch(events(id, "offset=-1&live=sse"), {
    headers: { "last-event-id": formatPosition(2, 0) },
  });
  expect(returned.status).toBe(204); // which ends a bare EventSource for good
});

test("a long-poll answers when something happens, or says after a while that nothing did", async () => {
  const server = await openServer({ limits: { longPollMs: 20 } });
  const { id, position } = await server.newSession();
  const nothing = await server.fetch(events(id, `offset=${position}&live=long-poll`));
  expect(nothing.status).toBe(204);
  expect(nothing.headers.get("stream-next-offset")).toBe(position);
  expect(nothing.headers.get("stream-up-to-date")).toBe("true");
  const cursor = nothing.headers.get("stream-cursor")!;
  const next = await server.fetch(events(id, `offset=${position}&live=long-poll&cursor=${cursor}`));
  expect(Number(next.headers.get("stream-cursor"))).toBeGreaterThan(Number(cursor));

  const patient = await openServer({ limits: { longPollMs: 60_000 } });
  const other = await patient.newSession();
  const waiting = patient.fetch(events(other.id, `offset=${other.position}&live=long-poll`));
  await append(patient, other.id, 3);
  const answer = await waiting;
  expect([answer.status, ((await answer.json()) as AnyEvent[])[0]?.position]).toEqual([
    200,
    formatPosition(2, 0),
  ]);
});

test("server-sent events replay, then follow, and resume after the last id that was seen", async () => {
  const server = shared();
  const { id } = await server.newSession();
  await append(server, id, 1_500);
  const stream = sse(await server.fetch(events(id, "offset=-1&live=sse")));
  await stream.next("control", ({ data }) => data.includes("upToDate"));
  expect(stream.events().map(({ position }) => position)).toEqual(positions(1, 1_501));
  await append(server, id, 2);
  await until(() => stream.events().length === 1_503);
  const resumed = sse(
    await server.fetch(events(id, "offset=-1&live=sse"), {
      headers: { "last-event-id": formatPosition(1_500, 0) },
    }),
  );
  await until(() => resumed.events().length === 3);
  expect(resumed.events().map(({ position }) => position)).toEqual(positions(1_501, 1_503));
  expect(resumed.lastId()).toBe(formatPosition(1_503, 0));
});

test("a reader from now on that has seen no event yet returns to where it began, and misses nothing", async () => {
  const server = shared();
  const { id, position } = await server.newSession();
  const leaving = new AbortController();
  const stream = sse(await server.fetch(events(id, "offset=now&live=sse"), { signal: leaving.signal }));
  await stream.next("control");
  expect(stream.lastId()).toBe(position);
  leaving.abort();
  await expect(stream.ended).rejects.toThrow("aborted");
  await append(server, id, 2);
  const returned = sse(
    await server.fetch(events(id, "offset=now&live=sse"), { headers: { "last-event-id": stream.lastId()! } }),
  );
  await until(() => returned.events().length === 2);
  expect(returned.events().map((event) => event.position)).toEqual(positions(2, 3));
});

test("a reader from now on of a session that has ended learns its end's id, and returns with it once", async () => {
  const server = shared();
  const { id } = await server.newSession();
  await end(server, id);
  const stream = sse(await server.fetch(events(id, "offset=now&live=sse")));
  await stream.ended;
  expect(stream.lastId()).toBe(formatPosition(2, 0));
  const returned = await server.fetch(events(id, "offset=now&live=sse"), {
    headers: { "last-event-id": stream.lastId()! },
  });
  expect(returned.status).toBe(204); // which ends a bare EventSource for good
});

test("a reader that is asked for behind another answer on its connection is told everything once that has left", async () => {
  let answerOverview = () => {};
  const overviewMayBe = new Promise<void>((resolve) => (answerOverview = resolve));
  const server = await openServer({
    wrap: (store) => override(store, { overview: async () => (await overviewMayBe, await store.overview()) }),
  });
  const { id } = await server.newSession();
  const { said } = pipelined(server, TOKEN, "/api/overview", events(id, "offset=-1&live=sse"));
  await until(async () => (await readers(server, "sse")) === 1);
  await append(server, id, 1);
  answerOverview();
  await until(() => said().includes(formatPosition(2, 0)));
  await append(server, id, 1);
  await until(() => said().includes(formatPosition(3, 0)));
  const [, , body] = said().split("\r\n\r\n"); // of the second answer, after the first's body and its own header
  expect(body).toMatch(/^retry: \d+\n\nid: /);
});

test("a reader behind another answer is let go when its credential is revoked, or its connection is gone", async () => {
  const server = await openServer({
    wrap: (store) => override(store, { overview: () => new Promise(() => {}) }),
  });
  const { id } = await server.newSession();
  const made = await server.call<{ id: string; token: string }>("POST", "/api/tokens", { name: "ci" });
  pipelined(server, made.token, "/api/overview", events(id, "offset=-1&live=sse"));
  await until(async () => (await readers(server, "sse")) === 1);
  await server.call("DELETE", `/api/tokens/${made.id}`, undefined, 204);
  await expect.poll(() => readers(server, "sse")).toBe(0);
  const { socket } = pipelined(server, TOKEN, "/api/overview", events(id, "offset=-1&live=sse"));
  await until(async () => (await readers(server, "sse")) === 1);
  socket.destroy();
  await expect.poll(() => readers(server, "sse")).toBe(0);
});

test.each(["sse", "long-poll"] as const)(
  "the public Durable Streams client follows a log live by %s",
  async (live) => {
    const server = shared();
    const { id } = await server.newSession();
    await append(server, id, 1_200);
    const stop = new AbortController();
    const stream = new DurableStream({
      url: `${server.url}${events(id)}`,
      headers: { authorization: `Bearer ${TOKEN}` },
      contentType: "application/json",
    });
    const response = await stream.stream<AnyEvent>({ offset: "-1", live, json: true, signal: stop.signal });
    onTestFinished(() => stop.abort());
    const seen: AnyEvent[] = [];
    response.subscribeJson((batch) => {
      seen.push(...batch.items);
      return Promise.resolve();
    });
    await until(() => seen.length === 1_201);
    for (let n = 0; n < 20; n++) {
      await append(server, id, 1);
      await until(() => seen.length === 1_202 + n);
    }
    await end(server, id);
    await response.closed;
    await until(() => seen.length === 1_222); // it says closed before it hands out the last batch
    expect(seen.map(({ position }) => position)).toEqual(positions(1, 1_222));
    expect(response.streamClosed).toBe(true);
  },
);

test("a position ahead of the log is told so in a way that the public client does not retry", async () => {
  const server = shared();
  const { id, position } = await server.newSession();
  const ahead = formatPosition(77, 0);
  for (const live of ["", "&live=sse", "&live=long-poll"]) {
    const answer = await server.fetch(events(id, `offset=${ahead}${live}`));
    expect(answer.status).toBe(409);
    expect(await answer.json()).toMatchObject({ code: "position_ahead", position, store: server.store.id });
  }
  const stream = new DurableStream({
    url: `${server.url}${events(id)}`,
    headers: { authorization: `Bearer ${TOKEN}` },
    contentType: "application/json",
  });
  await expect(stream.stream({ offset: ahead, live: false, json: true })).rejects.toMatchObject({
    status: 409,
  });
});

test("a position of another store is told so", async () => {
  const server = shared();
  const { id } = await server.newSession();
  const answer = await server.fetch(events(id, `offset=${START}&store=sto_other`));
  expect(answer.status).toBe(409);
  expect(await answer.json()).toMatchObject({ code: "other_store", store: server.store.id });
  expect((await server.fetch(events(id, `offset=${START}&store=${server.store.id}`))).status).toBe(200);
});

test.each([
  ["offset=12", 400],
  ["offset=", 400],
  ["offset=-2", 400],
  [`offset=${START}&offset=${START}`, 400],
  ["offset=9999999999999999_9999999999999999", 400], // past what a number can count
  ["live=sse", 400],
  ["live=long-poll", 400],
  ["offset=-1&live=forever", 400],
])("?%s is answered with %i", async (query, status) => {
  const server = shared();
  const { id } = await server.newSession();
  const answer = await server.fetch(events(id, query));
  expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([status, "bad_request"]);
});

test("writes are not allowed, and the answer says what is", async () => {
  const server = shared();
  const { id } = await server.newSession();
  for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
    const answer = await server.fetch(events(id), { method });
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  }
});

test("a task's log is read the same way, and not as a session", async () => {
  const server = shared();
  await server.store.createLog("tsk_1", "task", [{ type: "notice", data: { level: "info", text: "made" } }], {
    person: "owner",
  });
  const answer = await server.fetch("/api/tasks/tsk_1/events?offset=-1");
  expect(await answer.json()).toMatchObject([{ type: "notice" }]);
  expect((await server.fetch("/api/sessions/tsk_1/events")).status).toBe(404);
});

test("deleting a session ends those who follow it", async () => {
  const server = shared();
  const { id } = await server.newSession();
  const stream = sse(await server.fetch(events(id, "offset=-1&live=sse")));
  await stream.next("control");
  const waiting = server.fetch(events(id, "offset=now&live=long-poll"));
  await server.call("DELETE", `/api/sessions/${id}`, undefined, 204);
  await stream.ended;
  expect((await waiting).status).toBe(404);
});

test("drafts come live, and are gone from a replay once their fact is there", async () => {
  const server = shared();
  const { id } = await server.newSession();
  const lease = await server.store.claimLease(id, 60_000);
  if (!lease.ok) throw new Error(lease.code);
  const stream = sse(await server.fetch(events(id, "offset=-1&live=sse")));
  await stream.next("control");
  const write = (written: NewEvent[]) =>
    server.store.append(id, written, { by: "executor", lease: lease.lease });
  await write([{ type: "draft", data: { part: "s1.1/0", kind: "text", offset: 0, text: "Hel" } }]);
  await write([{ type: "draft", data: { part: "s1.1/0", kind: "text", offset: 3, text: "lo" } }]);
  await until(() => stream.events().filter(({ type }) => type === "draft").length === 2);
  expect(stream.lastId()).toBe(formatPosition(1, 2));
  await write([
    { type: "step_completed", data: { step: "s1", attempt: 1, message: [{ type: "text", text: "Hello" }] } },
  ]);
  await until(() => stream.events().length === 4);
  const resumed = await server.fetch(events(id, `offset=${formatPosition(1, 1)}`));
  expect(((await resumed.json()) as AnyEvent[]).at(-1)).toMatchObject({ type: "step_completed" });
});

test("a reader that stops reading is cut off at the bound, and others are not slowed", async () => {
  const server = await openServer();
  const { id } = await server.newSession();
  const stuck = await server.fetch(events(id, "offset=now&live=sse")); // its body is never read
  const quick = sse(await server.fetch(events(id, "offset=now&live=sse")));
  await quick.next("control");
  const text = "x".repeat(50_000);
  let appended = 0;
  const readers = async () =>
    Number(/holdfast_readers\{kind="sse"\} (\d+)/.exec(await (await server.fetch("/metrics")).text())?.[1]);
  while ((await readers()) === 2 && appended < 2_000) {
    await server.store.append(id, [{ type: "notice", data: { level: "info", text } }], {
      by: "client",
      author: { person: "x" },
    });
    appended++;
    await until(() => quick.events().length === appended); // each arrives while the other is stuck
  }
  expect(await readers()).toBe(1);
  await expect(stuck.text()).resolves.toContain("event: data"); // what it was sent before is whole
});

/** All of them asked for at once, on one connection. */
function pipelined({ port }: OpenServer, token: string, ...paths: string[]) {
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  let text = "";
  socket.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  for (const path of paths)
    socket.write(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer ${token}\r\n\r\n`);
  return { socket, said: () => text };
}

type Frame = { event: string; id: string; data: string };

function sse(answer: Response) {
  expect(answer.headers.get("content-type")).toBe("text/event-stream");
  const frames: Frame[] = [];
  const given = new Set<Frame>();
  let rest = "";
  const read = async () => {
    for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream())) {
      const parts = (rest + chunk).split("\n\n");
      rest = parts.pop() ?? "";
      for (const part of parts) frames.push(frameOf(part));
    }
  };
  const ended = read();
  return {
    ended,
    events: () =>
      frames.filter(({ event }) => event === "data").flatMap(({ data }) => JSON.parse(data) as AnyEvent[]),
    lastId: () => frames.findLast(({ id }) => id !== "")?.id,
    async next(event: string, fits: (frame: Frame) => boolean = () => true): Promise<Frame> {
      const find = () => frames.find((frame) => frame.event === event && !given.has(frame) && fits(frame));
      await until(() => find() !== undefined);
      const found = find()!;
      given.add(found);
      return found;
    },
  };
}

function frameOf(text: string): Frame {
  const fields = Object.fromEntries(
    text.split("\n").map((line) => [line.split(":", 1)[0], line.slice(line.indexOf(":") + 1).trim()]),
  );
  return { event: fields["event"] ?? "", id: fields["id"] ?? "", data: fields["data"] ?? "" };
}

function events(id: string, query = ""): string {
  return `/api/sessions/${id}/events${query === "" ? "" : `?${query}`}`;
}

/** Of all but the first event, which makes the session. */
function textsOf(notices: AnyEvent[]): string[] {
  return notices.slice(1).map(({ data }) => (data as { text: string }).text);
}

function positions(from: number, to: number): string[] {
  return Array.from({ length: to - from + 1 }, (_, n) => formatPosition(from + n, 0));
}

async function append(server: OpenServer, id: string, count: number): Promise<void> {
  const facts: NewEvent[] = Array.from({ length: count }, (_, n) => ({
    type: "notice",
    data: { level: "info", text: `n${n} ä\n` },
  }));
  await write(server, id, facts);
}

async function end(server: OpenServer, id: string): Promise<void> {
  await write(server, id, [{ type: "session_ended", data: { reason: "test" } }]);
}

async function write(server: OpenServer, id: string, facts: NewEvent[]): Promise<void> {
  const appended = await server.store.append(id, facts, { by: "client", author: { person: "someone" } });
  if (!appended.ok) throw new Error(appended.code);
}

async function readers(server: OpenServer, kind: string): Promise<number> {
  const metrics = await (await server.fetch("/metrics")).text();
  return Number(new RegExp(`holdfast_readers\\{kind="${kind}"\\} (\\d+)`).exec(metrics)?.[1]);
}
