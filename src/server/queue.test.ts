import { expect, test } from "vitest";
import { useServer, type OpenServer } from "../../test/open-server.ts";
import type { Admitted } from "../protocol/http.ts";
import type { NewEvent } from "../session/event.ts";
import { formatPosition, START } from "../session/position.ts";
import type { View } from "../session/view.ts";

const shared = useServer();

test("a prompt that is sent to stop what runs does both in one commit, and stops only once", async () => {
  const { id, inputs } = await running();
  const { position } = await send(id, { text: "rather this", delivery: "now" });
  expect((await facts(id)).slice(-2)).toMatchObject([
    { type: "input_admitted", data: { text: "rather this", delivery: "now" } },
    { type: "stop_requested", data: { turn: "t1" }, position },
  ]);
  await send(id, { text: "no, this", delivery: "now" });
  expect((await facts(id)).filter(({ type }) => type === "stop_requested")).toHaveLength(1);
  expect((await view(id)).queue.map(({ text }) => text)).toEqual(["rather this", "no, this"]);
  expect(inputs).toHaveLength(1);
});

test("a prompt that is sent to stop an idle session is only a prompt", async () => {
  const { id } = await shared().newSession();
  await send(id, { text: "go", delivery: "now" });
  expect(await types(id)).toEqual(["session_created", "input_admitted"]);
  const steer = { kind: "steer", text: "left", delivery: "now" };
  const refused = await shared().call("POST", `/api/sessions/${id}/inputs`, steer, 422);
  expect(refused).toMatchObject({ faults: [{ path: "body.delivery" }] });
});

test("what is sent while a question is open is its answer, and the response says so", async () => {
  const { id } = await running(question("ask_q1", ["Red", "Green"]));
  const sent = await send(id, { text: "green" });
  expect(sent).toMatchObject({ input: null, answered: "ask_q1", session: id });
  expect((await facts(id)).at(-1)).toMatchObject({
    type: "ask_answered",
    data: { ask: "ask_q1", kind: "clarify", answer: { values: ["2"] } },
    by: { person: "owner" },
  });
  expect(await send(id, { text: "and then?" })).toMatchObject({ input: expect.stringMatching(/^inp_/) });
});

test("a number that is sent is what was said, and never the place of a choice", async () => {
  const { id } = await running(question("ask_q20", ["Red", "Green"]));
  expect(await send(id, { text: "2" })).toMatchObject({ answered: "ask_q20" });
  expect(await shared().store.ask("ask_q20")).toMatchObject({ answer: { text: "2" } });
});

test("an answer that was sent again under its key is one answer, and the second question stays open", async () => {
  const { id } = await running(question("ask_q2"), question("ask_q3"));
  const init = {
    method: "POST",
    headers: { "content-type": "application/json", "idempotency-key": "answer-once" },
    body: JSON.stringify({ kind: "prompt", text: "the left one" }),
  };
  const first: unknown = await (await shared().fetch(`/api/sessions/${id}/inputs`, init)).json();
  const again: unknown = await (await shared().fetch(`/api/sessions/${id}/inputs`, init)).json();
  expect(again).toEqual(first);
  expect(first).toMatchObject({ answered: "ask_q2" });
  expect((await view(id)).asks).toMatchObject([{ ask: "ask_q3" }]);
});

test("what was not written for a question is an input though one is open, and the question stays open", async () => {
  const { id } = await running(question("ask_q5", ["Red", "Green"]));
  expect(await send(id, { text: "green", answers: null })).toMatchObject({
    input: expect.stringMatching(/^inp_/),
  });
  expect(await send(id, { kind: "steer", text: "to the left", answers: null })).toMatchObject({
    input: expect.stringMatching(/^inp_/),
  });
  const { asks, queue } = await view(id);
  expect(asks).toMatchObject([{ ask: "ask_q5" }]);
  expect(queue).toMatchObject([
    { kind: "prompt", text: "green" },
    { kind: "steer", text: "to the left" },
  ]);
});

test("what names its question answers that one or nothing, and says who was first", async () => {
  const { id } = await running(question("ask_q6"), question("ask_q7"), question("ask_q8"));
  expect(await send(id, { text: "seven", answers: "ask_q7" })).toMatchObject({ answered: "ask_q7" });
  expect((await view(id)).asks.map(({ ask }) => ask)).toEqual(["ask_q6", "ask_q8"]);
  const refusedOver = (input: object, status: number) =>
    shared().call("POST", `/api/sessions/${id}/inputs`, { kind: "prompt", text: "x", ...input }, status);
  expect(await refusedOver({ answers: "ask_q7" }, 409)).toMatchObject({
    code: "answered",
    ask: { id: "ask_q7", answer: { text: "seven" } },
  });
  await append(shared(), id, [
    { type: "ask_closed", data: { ask: "ask_q6", kind: "clarify", reason: "withdrawn" } },
  ]);
  expect(await refusedOver({ answers: "ask_q6" }, 409)).toMatchObject({ code: "ask_closed" });
  expect(await refusedOver({ answers: "ask_none" }, 422)).toMatchObject({
    faults: [{ path: "body.answers" }],
  });
  expect((await view(id)).queue).toEqual([]);
});

test.each([
  ["delivery", { delivery: "now" }],
  ["attachments", { attachments: [{ file: "fil_1" }] }],
  ["text", { text: "x".repeat(20_000) }],
])("an answer to a question takes no other %s than an answer can carry", async (path, input) => {
  const { id } = await running(question("ask_q9"));
  const body = { kind: "prompt", text: "x", answers: "ask_q9", ...input };
  const refused = await shared().call("POST", `/api/sessions/${id}/inputs`, body, 422);
  expect(refused).toMatchObject({ faults: [{ path: `body.${path}` }] });
});

test("what stops the turn, has attachments or is too long for an answer is admitted though a question is open", async () => {
  const { id } = await running(question("ask_q4"));
  const file = await shared().fetch("/api/files?name=a.txt", {
    method: "POST",
    headers: { "content-type": "text/plain" },
    body: "a",
  });
  const attachments = [(await file.json()) as { file: string }].map((info) => ({ file: info.file }));
  for (const input of [
    { text: "with a file", attachments },
    { text: "x".repeat(20_000) },
    { text: "stop", delivery: "now" },
  ])
    expect(await send(id, input)).toMatchObject({ input: expect.stringMatching(/^inp_/) });
  expect((await view(id)).asks).toHaveLength(1);
});

test("what is sent while an approval is open waits in the queue", async () => {
  const { id } = await running({
    type: "ask_opened",
    data: { ask: "ask_a1", kind: "approval", title: "may I" },
  });
  expect(await send(id, { text: "once" })).toMatchObject({ input: expect.stringMatching(/^inp_/) });
  expect(await view(id)).toMatchObject({ asks: [{ ask: "ask_a1" }], queue: [{ text: "once" }] });
});

test("a queue takes 200 inputs and then says that it is full", async () => {
  const server = shared();
  const { id } = await running();
  const many: NewEvent[] = Array.from({ length: 199 }, (_, n) => admitted(`inp_many${n}`));
  await append(server, id, many);
  await send(id, { text: "the last" });
  for (const delivery of ["queue", "now"])
    expect(
      await server.call("POST", `/api/sessions/${id}/inputs`, { kind: "prompt", text: "x", delivery }, 409),
    ).toMatchObject({ code: "queue_full", queued: 200 });
});

test("sixty who send at once are all admitted", async () => {
  const { id } = await running();
  await Promise.all(Array.from({ length: 60 }, (_, n) => send(id, { text: `number ${n}` })));
  expect(new Set((await view(id)).queue.map(({ text }) => text)).size).toBe(60);
});

test("no more than 200 wait, however many send at once", async () => {
  const server = shared();
  const { id } = await running();
  const statuses = await Promise.all(
    Array.from({ length: 230 }, async (_, n) => {
      const body = JSON.stringify({ kind: "prompt", text: `number ${n}` });
      const headers = { "content-type": "application/json" };
      return (await server.fetch(`/api/sessions/${id}/inputs`, { method: "POST", headers, body })).status;
    }),
  );
  expect(statuses.filter((status) => status === 202)).toHaveLength(200);
  expect(statuses.filter((status) => status === 409)).toHaveLength(30);
  expect((await view(id)).queue).toHaveLength(200);
});

test("what is queued can be said otherwise, become a steer, and be moved", async () => {
  const server = shared();
  const { id } = await running();
  const [a, b, c] = [await queued(id, "a"), await queued(id, "b"), await queued(id, "c")];
  const patch = (input: string, body: object) =>
    server.call("PATCH", `/api/sessions/${id}/inputs/${input}`, body, 200);
  const texts = async () => (await view(id)).queue.map(({ text }) => text);

  await patch(b, { text: "b, better" });
  expect(await texts()).toEqual(["a", "b, better", "c"]);
  await patch(c, { before: a });
  expect(await texts()).toEqual(["c", "a", "b, better"]);
  await patch(c, { before: null, text: "c at last", kind: "steer" });
  expect((await view(id)).queue).toMatchObject([
    { text: "a", kind: "prompt" },
    { text: "b, better", kind: "prompt" },
    { text: "c at last", kind: "steer" },
  ]);
  expect((await facts(id)).slice(-2).map(({ type }) => type)).toEqual(["input_edited", "input_moved"]);
});

test("what is withdrawn is gone, and withdrawing it again changes nothing", async () => {
  const server = shared();
  const { id } = await running();
  const input = await queued(id, "never mind");
  await server.call("DELETE", `/api/sessions/${id}/inputs/${input}`, undefined, 204);
  const position = (await view(id)).position;
  await server.call("DELETE", `/api/sessions/${id}/inputs/${input}`, undefined, 204);
  expect(await view(id)).toMatchObject({ queue: [], position });
  const refused = await server.call("PATCH", `/api/sessions/${id}/inputs/${input}`, { text: "well" }, 409);
  expect(refused).toMatchObject({ code: "not_queued", input: { state: "withdrawn" } });
});

test("what another session waits for can be changed, but not withdrawn", async () => {
  const server = shared();
  const { id: parent } = await running();
  const first: NewEvent[] = [
    { type: "input_admitted", data: { input: "inp_given", kind: "prompt", text: "look around" } },
  ];
  const child = "ses_awaited";
  const origin = { kind: "delegation" as const, session: parent };
  await server.store.createSession({ id: child, profile: "default", origin, first }, { keeper: "delegates" });
  const path = `/api/sessions/${child}/inputs/inp_given`;
  const refused = await server.call("DELETE", path, undefined, 409);
  expect(refused).toMatchObject({ code: "conflict", session: parent });
  await server.call("PATCH", path, { text: "look well" });
  await server.call("DELETE", path, undefined, 409);
  await queued(child, "and this");
  await server.call("DELETE", path, undefined, 204);
});

test("what a turn has taken can't be changed any more, and it is said which", async () => {
  const server = shared();
  const { id, inputs } = await running();
  for (const [method, body] of [
    ["PATCH", { text: "otherwise" }],
    ["DELETE", undefined],
  ] as const)
    expect(await server.call(method, `/api/sessions/${id}/inputs/${inputs[0]}`, body, 409)).toMatchObject({
      code: "not_queued",
      input: { state: "delivered", turn: "t1" },
    });
  const waiting = await queued(id, "next");
  const path = `/api/sessions/${id}/inputs/${waiting}`;
  expect(await server.call("PATCH", path, { before: inputs[0] }, 409)).toMatchObject({ code: "not_queued" });
  await server.call("PATCH", path, { before: waiting }, 422);
  await server.call("PATCH", path, {}, 422);
  await server.call("PATCH", `/api/sessions/${id}/inputs/inp_none`, { text: "x" }, 404);
  await server.call("DELETE", `/api/sessions/${id}/inputs/inp_none`, undefined, 404);
  await server.call("DELETE", `/api/sessions/ses_none/inputs/inp_none`, undefined, 404);
});

test("an input is either edited or taken by a turn, however close the two come", async () => {
  const server = shared();
  const { id } = await server.newSession();
  const input = await queued(id, "as it was");
  const edit = server.fetch(`/api/sessions/${id}/inputs/${input}`, {
    method: "PATCH",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ text: "as it should be" }),
  });
  const take = append(server, id, [
    { type: "turn_started", data: { turn: "t1", inputs: [input] } },
    { type: "input_delivered", data: { input, turn: "t1", from: formatPosition(2, 0) } },
  ]);
  const [answer] = await Promise.all([edit, take]);
  const edited = ["session_created", "input_admitted", "input_edited", "turn_started", "input_delivered"];
  const log = answer.status === 200 ? edited : edited.filter((type) => type !== "input_edited");
  expect([200, 409]).toContain(answer.status);
  expect(await types(id)).toEqual(log);
});

test("a held queue is released once", async () => {
  const server = shared();
  const { id } = await server.newSession();
  await queued(id, "later");
  await append(server, id, [{ type: "queue_held", data: { reason: "stopped" } }]);
  const release = () => server.call("POST", `/api/sessions/${id}/queue/release`, undefined, 200);
  expect(await release()).toMatchObject({ released: true });
  expect(await release()).toMatchObject({ released: false });
  expect((await types(id)).filter((type) => type === "queue_released")).toHaveLength(1);
});

test("a stop is one fact of the present turn, however often it is asked for, and nothing when no turn runs", async () => {
  const server = shared();
  const { id } = await running();
  const stop = (expected: number) => server.call("POST", `/api/sessions/${id}/stop`, undefined, expected);
  const stops = await Promise.all([stop(202), stop(202), stop(202)]);
  expect(stops.map((each) => [each["stopped"], each["turn"]])).toEqual(Array(3).fill([true, "t1"]));
  expect((await types(id)).filter((type) => type === "stop_requested")).toHaveLength(1);
  await append(server, id, [{ type: "turn_ended", data: { turn: "t1", outcome: "stopped" } }]);
  expect(await stop(200)).toMatchObject({ stopped: false, turn: null });
  await server.call("POST", "/api/sessions/ses_none/stop", undefined, 404);
});

test("a stop that is sent again under its key is told of the turn that it stopped", async () => {
  const server = shared();
  const { id } = await running();
  const init = { method: "POST", headers: { "idempotency-key": "stop-once" } };
  const first: unknown = await (await server.fetch(`/api/sessions/${id}/stop`, init)).json();
  await append(server, id, [{ type: "turn_ended", data: { turn: "t1", outcome: "stopped" } }]);
  const again = await server.fetch(`/api/sessions/${id}/stop`, init);
  expect([again.status, await again.json()]).toEqual([202, first]);
});

const question = (ask: string, labels: string[] = []): NewEvent => ({
  type: "ask_opened",
  data: {
    ask,
    kind: "clarify",
    title: "which?",
    choices: labels.map((label, n) => ({ id: String(n + 1), label })),
  },
});

function admitted(input: string): NewEvent {
  return { type: "input_admitted", data: { input, kind: "prompt", text: input } };
}

/** A session whose first input is being worked on. */
async function running(...more: NewEvent[]): Promise<{ id: string; inputs: string[] }> {
  const server = shared();
  const { id } = await server.newSession();
  const input = await queued(id, "go");
  await append(server, id, [
    { type: "turn_started", data: { turn: "t1", inputs: [input] } },
    { type: "input_delivered", data: { input, turn: "t1", from: formatPosition(2, 0) } },
    ...more,
  ]);
  return { id, inputs: [input] };
}

async function append({ store }: OpenServer, session: string, events: NewEvent[]): Promise<void> {
  const appended = await store.append(session, events, { by: "client", author: { person: "owner" } });
  expect(appended).toMatchObject({ ok: true });
}

function send(session: string, input: object): Promise<Admitted> {
  return shared().call("POST", `/api/sessions/${session}/inputs`, { kind: "prompt", ...input }, 202);
}

async function queued(session: string, text: string): Promise<string> {
  const { input } = await send(session, { text });
  if (input === null) throw new Error("it was an answer");
  return input;
}

async function view(session: string): Promise<View> {
  return (await shared().call<{ view: View }>("GET", `/api/sessions/${session}`)).view;
}

const facts = (session: string) => shared().store.events(session, START, 1000);
const types = async (session: string) => (await facts(session)).map(({ type }) => type);
