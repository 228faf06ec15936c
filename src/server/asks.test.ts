import { expect, test } from "vitest";
import { openServer, TOKEN, useServer, type OpenServer } from "../../test/open-server.ts";
import type { Ask } from "../protocol/http.ts";
import type { NewEvent } from "../session/event.ts";
import { START } from "../session/position.ts";

const shared = useServer();

type List = { items: Ask[]; next: string | null };

test("open asks are listed newest first, shown one by one, and not found when they are not there", async () => {
  const server = await openServer();
  const { id } = await server.newSession();
  await append(server, id, [approval("ask_1"), question("ask_2"), approval("ask_3")]);
  await answer(server, "ask_2", { text: "that one" }, 200);
  const listed = async (query: string) =>
    (await server.call<List>("GET", `/api/asks${query}`)).items.map((ask) => ask.id);

  expect(await listed("?open=true")).toEqual(["ask_3", "ask_1"]);
  expect(await listed("?open=false")).toEqual(["ask_2"]);
  expect(await listed(`?session=${id}`)).toEqual(["ask_3", "ask_2", "ask_1"]);
  expect(await listed("?session=ses_none")).toEqual([]);
  const first = await server.call<List>("GET", "/api/asks?limit=2");
  expect(await listed(`?limit=2&after=${first.next}`)).toEqual(["ask_1"]);
  expect(await server.call("GET", "/api/asks/ask_1")).toMatchObject({
    id: "ask_1",
    session: id,
    kind: "approval",
    command: "rm -rf build",
    cwd: "/work",
    digest: "abc",
    state: "open",
    answer: null,
  });
  await server.call("GET", "/api/asks/ask_none", undefined, 404);
  await answer(server, "ask_none", { choice: "once" }, 404);
});

test("an answer is a fact by whom gave it, and the row shows it", async () => {
  const { id } = await shared().newSession();
  await append(shared(), id, [approval("ask_4")]);
  const answered = await answer(shared(), "ask_4", { choice: "deny", text: "not there" }, 200);
  expect(answered).toMatchObject({
    state: "answered",
    answer: { choice: "deny", text: "not there" },
    closedBy: { person: "owner" },
  });
  const [fact] = await shared().store.eventsBefore(id, "9999999999999999_0000000000000000" as never, 1);
  expect(fact).toMatchObject({
    type: "ask_answered",
    data: { ask: "ask_4", kind: "approval", answer: { choice: "deny", text: "not there" } },
  });
});

test("a word beside what is allowed steers what comes next, once, and with the answer or not at all", async () => {
  const server = shared();
  const { id } = await server.newSession();
  await append(server, id, [approval("ask_words")]);
  const given = { choice: "once", text: "but delete it after" };
  expect(await answer(server, "ask_words", given, 200)).toMatchObject({ answer: given });
  await answer(server, "ask_words", { choice: "always", text: "me too" }, 409);
  const events = await server.store.events(id, START, 100);
  expect(events.slice(-2)).toMatchObject([
    { type: "ask_answered", data: { answer: given } },
    { type: "input_admitted", data: { kind: "steer", text: "but delete it after" }, by: { person: "owner" } },
  ]);
});

test("who comes second is told who answered what and when", async () => {
  const server = shared();
  const { id } = await server.newSession();
  await append(server, id, [approval("ask_5")]);
  await answer(server, "ask_5", { choice: "session" }, 200);
  const refused = await answer(server, "ask_5", { choice: "deny" }, 409);
  expect(refused).toMatchObject({
    code: "answered",
    ask: { answer: { choice: "session" }, closedBy: { person: "owner" }, closedAt: expect.any(String) },
    detail: expect.stringMatching(/answered by owner at .*: session\./),
  });
});

test("an ask that was withdrawn can't be answered any more", async () => {
  const server = shared();
  const { id } = await server.newSession();
  const withdrawn: NewEvent = {
    type: "ask_closed",
    data: { ask: "ask_6", kind: "approval", reason: "withdrawn" },
  };
  await append(server, id, [approval("ask_6"), withdrawn]);
  expect(await answer(server, "ask_6", { choice: "once" }, 409)).toMatchObject({
    code: "ask_closed",
    ask: { state: "withdrawn" },
  });
});

test("an answer that does not fit is refused with what would, and the ask stays open", async () => {
  const server = shared();
  const { id } = await server.newSession();
  await append(server, id, [approval("ask_7"), question("ask_8")]);
  expect(await answer(server, "ask_7", { choice: "perhaps" }, 422)).toMatchObject({
    faults: [{ path: "body.choice", message: expect.stringContaining("once, session, always, deny") }],
  });
  await answer(server, "ask_8", { values: ["9"] }, 422);
  await answer(server, "ask_8", {}, 422);
  await answer(server, "ask_8", { text: "x", surprise: true }, 422);
  expect(await server.call("GET", "/api/asks/ask_8")).toMatchObject({ state: "open" });
});

test("an answer that is sent again under its key is given the same answer, also once its session is gone", async () => {
  const server = shared();
  const { id } = await server.newSession();
  await append(server, id, [approval("ask_9")]);
  const init = {
    method: "POST",
    headers: { "content-type": "application/json", "idempotency-key": "answer-9" },
    body: JSON.stringify({ choice: "once" }),
  };
  const first = await server.fetch("/api/asks/ask_9/answer", init);
  const again = await server.fetch("/api/asks/ask_9/answer", init);
  const given = [200, await first.json()];
  expect([again.status, await again.json()]).toEqual(given);
  await server.call("DELETE", `/api/sessions/${id}?force=true`, undefined, 204);
  const afterwards = await server.fetch("/api/asks/ask_9/answer", init);
  expect([afterwards.status, await afterwards.json()]).toEqual(given);
  await answer(server, "ask_9", { choice: "once" }, 404);
});

test("watching asks gives those that are open, then which come and go", async () => {
  const server = await openServer();
  const one = await server.newSession();
  const other = await server.newSession();
  await append(server, one.id, [approval("ask_1")]);
  const socket = await server.socket();
  socket.send({ op: "watch", topic: "asks" });
  expect(await socket.next("rows")).toMatchObject({ topic: "asks", whole: true, rows: [{ id: "ask_1" }] });
  await append(server, other.id, [question("ask_2")]);
  expect(await socket.next("rows")).toMatchObject({
    topic: "asks",
    whole: false,
    rows: [{ id: "ask_2", session: other.id, title: "which?" }],
  });
  await answer(server, "ask_1", { choice: "once" }, 200);
  expect(await socket.next("rows")).toMatchObject({ rows: [], gone: ["ask_1"], whole: false });
  await server.call("DELETE", `/api/sessions/${other.id}?force=true`, undefined, 204);
  expect(await socket.next("rows")).toMatchObject({ gone: ["ask_2"] });
  socket.send({ op: "watch", topic: "asks" });
  expect(await socket.next("rows")).toMatchObject({ whole: true, rows: [] });
});

test("rules are listed as they were saved and can be taken back once", async () => {
  const server = await openServer();
  const rule = { profile: "default", tool: "shell", match: "sha256:abc", decision: "allow" } as const;
  await server.store.addRule({ id: "rul_1", ...rule, shown: "rm -rf build" });
  const { items } = await server.call<{ items: object[] }>("GET", "/api/rules");
  expect(items).toMatchObject([{ id: "rul_1", ...rule, shown: "rm -rf build" }]);
  await server.call("DELETE", "/api/rules/rul_1", undefined, 204);
  expect(await server.call("DELETE", "/api/rules/rul_1", undefined, 404)).toMatchObject({
    code: "not_found",
  });
  expect(await server.call("GET", "/api/rules")).toEqual({ items: [], next: null });
});

test("another person's answer is that person's", async () => {
  const server = shared();
  const { id } = await server.newSession();
  await append(server, id, [approval("ask_10")]);
  const { token } = await server.call<{ token: string }>("POST", "/api/tokens", {
    name: "phone",
    person: "ada",
    kind: "person",
  });
  expect(token).not.toBe(TOKEN);
  const answered = await server.fetch("/api/asks/ask_10/answer", {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ choice: "once" }),
  });
  expect(await answered.json()).toMatchObject({ closedBy: { person: "ada" } });
});

const approval = (ask: string): NewEvent => ({
  type: "ask_opened",
  data: { ask, kind: "approval", title: "shell: rm", command: "rm -rf build", cwd: "/work", digest: "abc" },
});
const question = (ask: string): NewEvent => ({
  type: "ask_opened",
  data: { ask, kind: "clarify", title: "which?", choices: [{ id: "1", label: "This" }] },
});

async function append({ store }: OpenServer, session: string, events: NewEvent[]): Promise<void> {
  const appended = await store.append(session, events, { by: "client", author: { person: "owner" } });
  expect(appended).toMatchObject({ ok: true });
}

function answer(server: OpenServer, ask: string, body: object, expected: number) {
  return server.call("POST", `/api/asks/${ask}/answer`, body, expected);
}
