import { expect, test } from "vitest";
import { type OpenServer, openServer, useServer } from "../../test/open-server.ts";
import type { SessionRow } from "../protocol/http.ts";
import type { NewEvent } from "../session/event.ts";
import type { HistoryPage } from "../session/history.ts";
import { formatPosition } from "../session/position.ts";
import type { Message, View } from "../session/view.ts";

const shared = useServer();

type Shown = SessionRow & { view: View };
type List = { items: SessionRow[]; next: string | null };

test("a session can be created with its first input in the same commit", async () => {
  const server = shared();
  const answer = await server.fetch("/api/sessions", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ title: "Hello", workspace: "/tmp", input: { kind: "prompt", text: "Do it" } }),
  });
  expect(answer.status).toBe(201);
  const row = (await answer.json()) as SessionRow;
  expect(answer.headers.get("location")).toBe(`/api/sessions/${row.id}`);
  expect(row).toMatchObject({
    title: "Hello",
    profile: "default",
    status: "queued",
    queued: 1,
    position: formatPosition(2, 0),
  });
  const shown = await server.call<Shown>("GET", `/api/sessions/${row.id}`);
  expect(shown.view.queue).toMatchObject([{ kind: "prompt", text: "Do it", by: { person: "owner" } }]);
  expect(shown.view.position).toBe(row.position);
});

test("the list is newest first, filtered, and paged to its end", async () => {
  const server = await openServer();
  for (const title of ["one", "two", "three"]) await server.newSession({ title, lane: `lane:${title}` });
  const first = await server.call<List>("GET", "/api/sessions?limit=2");
  expect(first.items.map(({ title }) => title)).toEqual(["three", "two"]);
  const second = await server.call<List>(
    "GET",
    `/api/sessions?limit=2&after=${encodeURIComponent(first.next!)}`,
  );
  expect(second.items.map(({ title }) => title)).toEqual(["one"]);
  expect(second.next).toBeNull();
  const filtered = await server.call<List>("GET", "/api/sessions?lane=lane:two");
  expect(filtered.items.map(({ title }) => title)).toEqual(["two"]);
});

test("title and model are facts; pin and archive are not", async () => {
  const server = shared();
  const { id, position } = await server.newSession();
  const patched = await server.call<SessionRow>("PATCH", `/api/sessions/${id}`, {
    title: "Named",
    model: "local/x",
    pinned: true,
  });
  expect(patched).toMatchObject({ title: "Named", model: "local/x", pinned: true, archived: false });
  expect(patched.position).toBe(formatPosition(Number(position.slice(0, 16)) + 2, 0));
  const archived = await server.call<SessionRow>("PATCH", `/api/sessions/${id}`, { archived: true });
  expect(archived).toMatchObject({ archived: true, position: patched.position });
});

test("an ended session takes no input and no title, says where it goes on, and can still be archived", async () => {
  const server = shared();
  const { id } = await server.newSession();
  const next = await server.newSession();
  await append(server, id, [{ type: "session_ended", data: { reason: "reset", successor: next.id } }]);
  for (const [method, path, body] of [
    ["POST", `/api/sessions/${id}/inputs`, { kind: "prompt", text: "still there?" }],
    ["PATCH", `/api/sessions/${id}`, { title: "late" }],
  ] as const)
    expect(await server.call("POST" === method ? "POST" : "PATCH", path, body, 409)).toMatchObject({
      code: "ended",
      successor: next.id,
    });
  expect(await server.call("PATCH", `/api/sessions/${id}`, { archived: true })).toMatchObject({
    archived: true,
  });
});

test("a session with live work is deleted only by force", async () => {
  const server = shared();
  const { id } = await server.newSession({ input: { kind: "prompt", text: "go" } });
  await append(server, id, [{ type: "turn_started", data: { turn: "t1", inputs: [] } }]);
  expect(await server.call("DELETE", `/api/sessions/${id}`, undefined, 409)).toMatchObject({ code: "live" });
  await server.call("DELETE", `/api/sessions/${id}?force=true`, undefined, 204);
  await server.call("GET", `/api/sessions/${id}`, undefined, 404);
  await server.call("DELETE", `/api/sessions/${id}`, undefined, 404);
});

test("a fork is a session of its own with the same beginning", async () => {
  const server = shared();
  const { id } = await server.newSession({ title: "root" });
  await append(server, id, [
    { type: "turn_started", data: { turn: "t1", inputs: [] } },
    { type: "turn_ended", data: { turn: "t1", outcome: "completed" } },
  ]);
  const fork = await server.call<SessionRow>("POST", `/api/sessions/${id}/fork`, {}, 201);
  expect(fork).toMatchObject({ origin: { kind: "fork", session: id }, head: fork.id });
  const bare = await server.fetch(`/api/sessions/${id}/fork`, { method: "POST" });
  expect(bare.status).toBe(201);
  const ahead = await server.call("POST", `/api/sessions/${id}/fork`, { at: formatPosition(99, 0) }, 409);
  expect(ahead).toMatchObject({ code: "position_ahead" });
});

test("seen only rises, never past the log, and a program does not move it", async () => {
  const server = shared();
  const { id, position } = await server.newSession({ input: { kind: "prompt", text: "hi" } });
  expect(await server.call("PUT", `/api/sessions/${id}/seen`, { position })).toEqual({ position });
  const lower = formatPosition(1, 0);
  expect(await server.call("PUT", `/api/sessions/${id}/seen`, { position: lower })).toEqual({ position });
  const ahead = { position: formatPosition(1000, 0) };
  expect(await server.call("PUT", `/api/sessions/${id}/seen`, ahead, 409)).toMatchObject({
    code: "position_ahead",
  });

  const { token } = await server.call<{ token: string }>("POST", "/api/tokens", {
    name: "bot",
    kind: "program",
  });
  const refused = await server.fetch(`/api/sessions/${id}/seen`, {
    method: "PUT",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ position }),
  });
  expect(refused.status).toBe(403);
});

test("a report of what was seen that comes again, late and under its key, changes nothing", async () => {
  const server = shared();
  const { id, position } = await server.newSession({ input: { kind: "prompt", text: "hi" } });
  const put = async (key: string, to: string) => {
    const answer = await server.fetch(`/api/sessions/${id}/seen`, {
      method: "PUT",
      headers: { "content-type": "application/json", "idempotency-key": key },
      body: JSON.stringify({ position: to }),
    });
    return { status: answer.status, ...((await answer.json()) as object) };
  };
  const first = formatPosition(1, 0);
  expect(await put("one", first)).toEqual({ status: 200, position: first });
  expect(await put("two", position)).toEqual({ status: 200, position });
  expect(await put("one", first)).toEqual({ status: 200, position });
  expect(await server.store.seen("owner", id)).toBe(position);
});

test("what a program sends is unread for the person, and read once it is seen", async () => {
  const server = shared();
  const { id } = await server.newSession();
  const { token } = await server.call<{ token: string }>("POST", "/api/tokens", {
    name: "bot",
    person: "ci",
  });
  const sent = await server.fetch(`/api/sessions/${id}/inputs`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ kind: "prompt", text: "build is red" }),
  });
  const { position } = (await sent.json()) as { position: string };
  expect((await server.call<Shown>("GET", `/api/sessions/${id}`)).unread).toBe(1);
  await server.call("PUT", `/api/sessions/${id}/seen`, { position });
  expect((await server.call<Shown>("GET", `/api/sessions/${id}`)).unread).toBe(0);
});

test("older messages are paged back to the beginning, each once", async () => {
  const server = shared();
  const { id } = await server.newSession();
  for (let n = 0; n < 130; n++)
    await append(server, id, [{ type: "notice", data: { level: "info", text: `n${n}` } }]);
  const { view } = await server.call<Shown>("GET", `/api/sessions/${id}`);
  let texts = view.messages.map(noticeText);
  expect(texts.at(-1)).toBe("n129");
  let before: string | null = view.messages[0]!.position;
  for (let pages = 0; before !== null && pages < 20; pages++) {
    const page: HistoryPage = await server.call("GET", `/api/sessions/${id}?before=${before}&limit=30`);
    texts = [...page.messages.map(noticeText), ...texts];
    before = page.next;
  }
  expect(texts).toEqual(Array.from({ length: 130 }, (_, n) => `n${n}`));
});

test("messages are paged forward from a position, each once", async () => {
  const server = shared();
  const { id } = await server.newSession();
  const notices: NewEvent[] = Array.from({ length: 500 }, (_, n) => ({
    type: "notice",
    data: { level: "info", text: `n${n}` },
  }));
  await append(server, id, notices);
  const texts: string[] = [];
  let from: string | null = formatPosition(11, 0);
  for (let pages = 0; from !== null && pages < 20; pages++) {
    const page: HistoryPage = await server.call("GET", `/api/sessions/${id}?from=${from}&limit=60`);
    texts.push(...page.messages.map(noticeText));
    from = page.next;
  }
  expect(texts).toEqual(Array.from({ length: 491 }, (_, n) => `n${n + 9}`));
});

test("what an answer said that broke off or was stopped is there for whoever pages, as in the view", async () => {
  const server = shared();
  const { id } = await server.newSession();
  await append(server, id, brokenOffTurn);
  const steps = (messages: HistoryPage["messages"]) => messages.filter(({ kind }) => kind === "step");
  const shown = steps((await server.call<Shown>("GET", `/api/sessions/${id}`)).view.messages);
  expect(shown).toMatchObject([
    {
      state: "aborted",
      parts: [
        { kind: "reasoning", text: "Hm." },
        { kind: "text", text: "Let me see" },
      ],
    },
    { state: "aborted", parts: [{ kind: "text", text: "I was just" }] },
  ]);
  const notices: NewEvent[] = Array.from({ length: 60 }, () => ({
    type: "notice",
    data: { level: "info", text: "later" },
  }));
  await append(server, id, notices);
  const { view } = await server.call<Shown>("GET", `/api/sessions/${id}`);
  const before = view.messages[0]!.position;
  const back: HistoryPage = await server.call("GET", `/api/sessions/${id}?before=${before}`);
  expect(steps(back.messages)).toEqual(shown);
  const forth: HistoryPage = await server.call("GET", `/api/sessions/${id}?from=${formatPosition(1, 0)}`);
  expect(steps(forth.messages)).toEqual(shown);

  const fork = await server.call<SessionRow>("POST", `/api/sessions/${id}/fork`, {}, 201);
  const copied: HistoryPage = await server.call("GET", `/api/sessions/${fork.id}?before=${before}`);
  expect(steps(copied.messages)).toEqual(shown);
});

test("an export has the whole log as JSON lines, or a transcript to read", async () => {
  const server = shared();
  const long = "long ".repeat(20_000);
  const { id } = await server.newSession({ title: "Take me", input: { kind: "prompt", text: long } });
  const notices: NewEvent[] = Array.from({ length: 1_200 }, (_, n) => ({
    type: "notice",
    data: { level: "info", text: `n${n}` },
  }));
  await append(server, id, notices);
  const lines = (await (await server.fetch(`/api/sessions/${id}/export?format=jsonl`)).text())
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { position?: string });
  expect(lines.flatMap(({ position }) => position ?? [])).toEqual(
    Array.from({ length: 1_202 }, (_, n) => formatPosition(n + 1, 0)),
  );
  const answer = await server.fetch(`/api/sessions/${id}/export?format=md`);
  const text = await answer.text();
  expect(answer.headers.get("content-disposition")).toContain(`${id}.md`);
  expect(text).toContain("# Take me");
  expect(text).toContain(long);
  expect(text).toContain("*n1199*");
});

test("a turn that was given up calls for a person in every list at once, and runs again for all once it goes on", async () => {
  const server = await openServer();
  const { id } = await server.newSession({ title: "Stuck" });
  await append(server, id, [{ type: "turn_started", data: { turn: "t1", inputs: [] } }]);
  const socket = await server.socket();
  socket.send({ op: "watch", topic: "sessions" });
  expect(await socket.next("rows")).toMatchObject({ rows: [{ id, status: "running", attention: null }] });
  await append(server, id, [{ type: "executor_gave_up", data: { epoch: 1, reason: "no such fold" } }]);
  const failed = { id, status: "idle", attention: { kind: "failed", count: 1 } };
  expect(await socket.next("rows")).toMatchObject({ rows: [failed] });
  expect(await server.call("GET", "/api/sessions")).toMatchObject({ items: [failed] });
  expect(await server.call("GET", "/api/overview")).toMatchObject({ active: [failed] });
  const { view, ...row } = await server.call<Shown>("GET", `/api/sessions/${id}`);
  expect(row).toMatchObject(failed);
  expect(view.messages.map(noticeText)).toContainEqual(
    expect.stringMatching(/Send anything to try again.*no such fold/),
  );
  await append(server, id, [{ type: "executor_recovered", data: { epoch: 2, takeover: 0 } }]);
  expect(await socket.next("rows")).toMatchObject({ rows: [{ id, status: "running", attention: null }] });
});

/** A server was lost over its first attempt; a person stopped the second. */
const brokenOffTurn: NewEvent[] = [
  { type: "turn_started", data: { turn: "t1", inputs: [] } },
  { type: "step_started", data: { turn: "t1", step: "s1", attempt: 1, model: "m" } },
  { type: "draft", data: { part: "s1.1/0", kind: "reasoning", offset: 0, text: "Hm." } },
  { type: "draft", data: { part: "s1.1/1", kind: "text", offset: 0, text: "Let me" } },
  { type: "draft", data: { part: "s1.1/1", kind: "text", offset: 6, text: " see" } },
  { type: "step_aborted", data: { step: "s1", attempt: 1, reason: "its server was lost" } },
  { type: "step_started", data: { turn: "t1", step: "s1", attempt: 2, model: "m" } },
  { type: "draft", data: { part: "s1.2/0", kind: "text", offset: 0, text: "I was just" } },
  { type: "step_aborted", data: { step: "s1", attempt: 2, reason: "stopped", said: "I was just" } },
  { type: "turn_ended", data: { turn: "t1", outcome: "stopped" } },
];

function noticeText(message: Message): string {
  return message.kind === "notice" ? message.text : "";
}

async function append(server: OpenServer, id: string, events: NewEvent[]): Promise<void> {
  const appended = await server.store.append(id, events, { by: "client", author: { person: "someone" } });
  if (!appended.ok) throw new Error(appended.code);
}
