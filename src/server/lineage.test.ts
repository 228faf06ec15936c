import { expect, test } from "vitest";
import { useServer } from "../../test/open-server.ts";
import type { SessionRow } from "../protocol/http.ts";
import type { NewEvent } from "../session/event.ts";
import { formatPosition, seqOf, type Position } from "../session/position.ts";
import type { View } from "../session/view.ts";

const shared = useServer();

test("regenerating has the last turn anew in a successor, which takes the session's place", async () => {
  const server = shared();
  const { id } = await server.newSession({ title: "Talk" });
  await turn(id, "first question", "first answer");
  await turn(id, "second question", "second answer");
  const made = await post<SessionRow>(id, "regenerate", 201);
  expect(made).toMatchObject({ title: "Talk", status: "queued", head: made.id });
  expect(await said(made.id)).toEqual(["first question", "first answer"]);
  expect((await view(made.id)).queue).toMatchObject([{ text: "second question", kind: "prompt" }]);
  expect((await view(made.id)).meta.continues).toBe(id);

  const old = await server.call<SessionRow & { view: View }>("GET", `/api/sessions/${id}`);
  expect(old).toMatchObject({ status: "ended", head: made.id });
  expect(old.view.ended).toMatchObject({ reason: "regenerated", successor: made.id });
  expect(await said(id)).toEqual(["first question", "first answer", "second question", "second answer"]);
  const { items } = await server.call<{ items: SessionRow[] }>("GET", "/api/sessions?limit=200");
  const ids = items.map((row) => row.id);
  expect([ids.includes(id), ids.includes(made.id)]).toEqual([false, true]);
  expect(await post(id, "regenerate", 409)).toMatchObject({ code: "ended", successor: made.id });
});

test("whoever works for a turn that is gone back over is stopped, with all that works for it; for one before it, goes on", async () => {
  const server = shared();
  const { id } = await server.newSession();
  const delegate = async (parent: string, child: string) => {
    const origin = { kind: "delegation", session: parent } as const;
    await server.store.createSession({ id: child, profile: "default", origin }, { person: "owner" });
    await begin(child, "work");
    await append(parent, [
      { type: "delegated", data: { session: child, call: `call of ${child}`, background: true } },
    ]);
  };
  const ended: NewEvent = { type: "turn_ended", data: { turn: `t_${id}`, outcome: "completed" } };
  await begin(id, "first question");
  await delegate(id, `${id}_before`);
  await append(id, [ended]);
  await begin(id, "second question");
  await delegate(id, `${id}_since`);
  await delegate(`${id}_since`, `${id}_below`);
  await append(id, [ended]);
  const made = await post<SessionRow>(id, "undo", 201);
  const stopped = async (child: string) => (await view(child)).turn?.stopRequested;
  expect([await stopped(`${id}_before`), await stopped(`${id}_since`), await stopped(`${id}_below`)]).toEqual(
    [false, true, true],
  );
  expect((await view(made.id)).delegates).toMatchObject([{ session: `${id}_before` }]);
});

test("what a delegate brought back and nobody has read yet goes along only where its turn does", async () => {
  const { id } = await shared().newSession();
  const ended: NewEvent = { type: "turn_ended", data: { turn: `t_${id}`, outcome: "completed" } };
  const delegated = (session: string): NewEvent => ({
    type: "delegated",
    data: { session, call: `call of ${session}`, background: true },
  });
  const returned = (session: string): NewEvent[] => [
    {
      type: "delegate_returned",
      data: { session, call: `call of ${session}`, outcome: "completed", summary: "done" },
    },
    {
      type: "input_admitted",
      data: {
        input: `inp_of_${session}`,
        kind: "steer",
        text: `of ${session}`,
        delegate: { session, outcome: "completed" },
      },
    },
  ];
  await begin(id, "first question");
  await append(id, [delegated("ses_kept"), ended]);
  await begin(id, "second question");
  await append(id, [delegated("ses_undone"), ended]);
  await append(id, [...returned("ses_kept"), ...returned("ses_undone")]);
  const made = await post<SessionRow>(id, "undo", 201);
  expect((await view(made.id)).queue).toMatchObject([{ text: "of ses_kept" }]);
});

test("the first turn can be had anew too", async () => {
  const { id } = await shared().newSession();
  await turn(id, "only question", "only answer");
  const made = await post<SessionRow>(id, "regenerate", 201);
  expect(await said(made.id)).toEqual([]);
  expect((await view(made.id)).queue).toMatchObject([{ text: "only question" }]);
});

test("an input of any turn can be sent otherwise, with what it had attached", async () => {
  const server = shared();
  const { id } = await server.newSession();
  const attachments = [{ file: "fil_1", name: "a.txt", type: "text/plain", bytes: 1 }];
  const first = await turn(id, "first question", "first answer", attachments);
  await turn(id, "second question", "second answer");
  const made = await server.call<SessionRow>(
    "POST",
    `/api/sessions/${id}/inputs/${first}/resend`,
    { text: "a better question" },
    201,
  );
  expect(await said(made.id)).toEqual([]);
  expect((await view(made.id)).queue).toMatchObject([{ text: "a better question", attachments }]);
  expect((await view(id)).ended).toMatchObject({ reason: "edited", successor: made.id });
});

test("a steer that is sent otherwise goes back to the step before it, and begins a turn", async () => {
  const server = shared();
  const { id } = await server.newSession();
  await begin(id, "go");
  await append(id, [
    { type: "step_started", data: { turn: `t_${id}`, step: "s1", attempt: 1, model: "m" } },
    { type: "step_completed", data: { step: "s1", attempt: 1, message: [{ type: "text", text: "half" }] } },
  ]);
  await append(id, [{ type: "input_admitted", data: { input: "inp_steer", kind: "steer", text: "left" } }]);
  await append(id, [
    {
      type: "input_delivered",
      data: { input: "inp_steer", turn: `t_${id}`, step: "s2", from: await lastPosition(id) },
    },
    { type: "turn_ended", data: { turn: `t_${id}`, outcome: "completed" } },
  ]);
  const made = await server.call<SessionRow>(
    "POST",
    `/api/sessions/${id}/inputs/inp_steer/resend`,
    { text: "right" },
    201,
  );
  expect(await said(made.id)).toEqual(["go", "half"]);
  expect((await view(made.id)).queue).toMatchObject([{ text: "right", kind: "prompt" }]);
  expect((await view(made.id)).turn).toBeNull();
});

test("undoing leaves the last turn and its input behind, again and again", async () => {
  const server = shared();
  const { id } = await server.newSession();
  await turn(id, "first question", "first answer");
  await turn(id, "second question", "second answer");
  const once = await post<SessionRow>(id, "undo", 201);
  expect(await said(once.id)).toEqual(["first question", "first answer"]);
  expect(await view(once.id)).toMatchObject({ queue: [], turn: null });
  const twice = await post<SessionRow>(once.id, "undo", 201);
  expect(await said(twice.id)).toEqual([]);
  expect(await post(twice.id, "undo", 409)).toMatchObject({ code: "conflict" });
  expect(await server.call("GET", `/api/sessions/${id}`)).toMatchObject({ head: twice.id });
});

test("what waits in a held queue goes over, and stays held", async () => {
  const { id } = await shared().newSession();
  await turn(id, "question", "answer");
  await append(id, [
    { type: "input_admitted", data: { input: "inp_a", kind: "prompt", text: "later a" } },
    { type: "input_admitted", data: { input: "inp_b", kind: "prompt", text: "later b" } },
    { type: "queue_held", data: { reason: "stopped" } },
  ]);
  const made = await post<SessionRow>(id, "undo", 201);
  expect(await view(made.id)).toMatchObject({
    held: true,
    queue: [{ text: "later a" }, { text: "later b" }],
  });
});

test("what is sent anew after a stop is begun with, though the queue was held", async () => {
  const { id } = await shared().newSession();
  const input = await turn(id, "one", "I");
  const hold: NewEvent = { type: "queue_held", data: { reason: "stopped" } };
  await append(id, [
    { type: "input_admitted", data: { input: "inp_wait", kind: "prompt", text: "later" } },
    hold,
  ]);
  const resent = await shared().call<{ id: string }>(
    "POST",
    `/api/sessions/${id}/inputs/${input}/resend`,
    { text: "rather this" },
    201,
  );
  const { held, queue } = await view(resent.id);
  expect([held, queue.map(({ text }) => text)]).toEqual([false, ["rather this", "later"]]);
});

test("while a turn runs there is no going back; once it was stopped there is", async () => {
  const { id } = await shared().newSession();
  await begin(id, "go");
  for (const verb of ["regenerate", "undo"])
    expect(await post(id, verb, 409)).toMatchObject({ code: "live", turn: `t_${id}` });
  await post(id, "stop", 202);
  expect(await post(id, "regenerate", 409)).toMatchObject({
    code: "live",
    detail: expect.stringContaining("being stopped"),
  });
  await append(id, [{ type: "turn_ended", data: { turn: `t_${id}`, outcome: "stopped" } }]);
  await post(id, "regenerate", 201);
});

test("where there is nothing to go back to, that is said", async () => {
  const server = shared();
  const { id } = await server.newSession({ input: { kind: "prompt", text: "queued" } });
  expect(await post(id, "regenerate", 409)).toMatchObject({ code: "conflict" });
  const [queued] = (await view(id)).queue;
  const resend = (input: string | undefined, expected: number) =>
    server.call("POST", `/api/sessions/${id}/inputs/${input}/resend`, { text: "x" }, expected);
  await resend(queued?.input, 404);
  await resend("inp_none", 404);
  await server.call("DELETE", `/api/sessions/${id}/inputs/${queued?.input}`, undefined, 204);
  await resend(queued?.input, 409);
  await post("ses_none", "undo", 404);
});

test("eight who go back at once make one successor, and a retry is given the same one", async () => {
  const server = shared();
  const { id } = await server.newSession();
  await turn(id, "question", "answer");
  const regenerate = (key: string) =>
    server.fetch(`/api/sessions/${id}/regenerate`, { method: "POST", headers: { "idempotency-key": key } });
  const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => regenerate(`again-${n}`)));
  const winner = answers.findIndex(({ status }) => status === 201);
  const made = (await answers[winner]?.json()) as SessionRow;
  const others = answers.filter((_, n) => n !== winner);
  expect(others.map(({ status }) => status)).toEqual(Array(7).fill(409));
  for (const other of others) expect(await other.json()).toMatchObject({ code: "ended", successor: made.id });
  const retried = await regenerate(`again-${winner}`);
  expect([retried.status, await retried.json()]).toEqual([201, made]);
});

async function append(session: string, events: NewEvent[]): Promise<Position> {
  const appended = await shared().store.append(session, events, {
    by: "client",
    author: { person: "owner" },
  });
  if (!appended.ok) throw new Error(appended.code);
  return appended.position;
}

let inputs = 0;

async function begin(session: string, text: string, attachments?: object[]): Promise<string> {
  const input = `inp_${++inputs}`;
  const from = await append(session, [
    {
      type: "input_admitted",
      data: { input, kind: "prompt", text, ...(attachments && { attachments: attachments as never }) },
    },
  ]);
  await append(session, [
    { type: "turn_started", data: { turn: `t_${session}`, inputs: [input] } },
    { type: "input_delivered", data: { input, turn: `t_${session}`, from } },
  ]);
  return input;
}

/** As an executor would have worked on it. */
async function turn(session: string, text: string, said: string, attachments?: object[]): Promise<string> {
  const input = await begin(session, text, attachments);
  const step = `s_${inputs}`;
  await append(session, [
    { type: "step_started", data: { turn: `t_${session}`, step, attempt: 1, model: "m" } },
    { type: "step_completed", data: { step, attempt: 1, message: [{ type: "text", text: said }] } },
    { type: "turn_ended", data: { turn: `t_${session}`, outcome: "completed" } },
  ]);
  return input;
}

async function lastPosition(session: string): Promise<Position> {
  return formatPosition(seqOf((await view(session)).position), 0);
}

function post<T = Record<string, unknown>>(session: string, verb: string, expected: number): Promise<T> {
  return shared().call<T>("POST", `/api/sessions/${session}/${verb}`, undefined, expected);
}

async function view(session: string): Promise<View> {
  return (await shared().call<{ view: View }>("GET", `/api/sessions/${session}`)).view;
}

/** What was said on both sides. */
async function said(session: string): Promise<unknown[]> {
  return (await view(session)).messages.flatMap((message) => {
    if (message.kind === "input") return [message.text];
    if (message.kind !== "step") return [];
    return message.parts.flatMap((part) => (part.kind === "text" ? [part.text] : []));
  });
}
