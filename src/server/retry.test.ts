import { expect, test } from "vitest";
import { useServer } from "../../test/open-server.ts";
import type { Retried, SessionRow } from "../protocol/http.ts";
import type { Fact, NewEvent } from "../session/event.ts";
import { START } from "../session/position.ts";
import type { View } from "../session/view.ts";

const shared = useServer();

test("a turn that failed is gone on with in its own session, by the word of whoever said so", async () => {
  const { store } = shared();
  const id = await failed();
  const retried = await retry<Retried>(id, 202);
  expect(retried).toMatchObject({ retries: "t1", turn: expect.stringMatching(/^t\d+$/) });
  const facts = (await store.events(id, START, 100, "facts")) as Fact[];
  expect(facts.at(-1)).toMatchObject({
    type: "turn_started",
    data: { turn: retried.turn, inputs: [], retries: "t1" },
    by: { person: "owner" },
    position: retried.position,
  });
  expect(await shared().call<SessionRow>("GET", `/api/sessions/${id}`)).toMatchObject({
    head: id,
    status: "running",
    attention: null,
  });
  expect((await viewOf(id)).messages.at(-1)).toMatchObject({ kind: "divider", divider: "retried" });
  const claim = await store.claimSession(60_000);
  expect(claim).toMatchObject({ lease: { log: id }, takeover: false }); // it is there for an executor to work on
  await store.releaseLease(claim!.lease);
  await end(id, retried.turn, "completed");
});

test("eight who retry at once begin one turn, and whoever asks again under a key is told the same", async () => {
  const id = await failed();
  const post = (key: string) =>
    shared().fetch(`/api/sessions/${id}/retry`, { method: "POST", headers: { "idempotency-key": key } });
  const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => post(`try-${n}`)));
  const winner = answers.findIndex(({ status }) => status === 202);
  const others = answers.filter((_, n) => n !== winner);
  expect(others.map(({ status }) => status)).toEqual(Array(7).fill(409));
  const { turn } = (await answers[winner]!.json()) as Retried;
  await end(id, turn, "completed");
  const again = await post(`try-${winner}`);
  expect([again.status, await again.json()]).toMatchObject([202, { turn, retries: "t1" }]);
  expect((await viewOf(id)).turn).toBeNull();
});

test("what did not fail is not retried: each is told why", async () => {
  const { id: fresh } = await shared().newSession();
  expect(await retry(fresh, 409)).toMatchObject({ code: "conflict" });
  const id = await failed();
  const { turn } = await retry<Retried>(id, 202);
  expect(await retry(id, 409)).toMatchObject({ code: "live", turn });
  await append(id, [{ type: "executor_gave_up", data: { epoch: 1, reason: "no such fold" } }]);
  expect(await retry(id, 409)).toMatchObject({
    code: "live",
    detail: expect.stringContaining("send anything"),
  });
  await end(id, turn, "completed");
  expect(await retry(id, 409)).toMatchObject({
    code: "conflict",
    detail: expect.stringContaining("regenerate"),
  });
  const made = await shared().call<SessionRow>("POST", `/api/sessions/${id}/undo`, undefined, 201);
  expect(await retry(id, 409)).toMatchObject({ code: "ended", successor: made.id });
  await retry("ses_none", 404);
});

test("what was tried again is had anew from the input that it all began with", async () => {
  const id = await failed();
  const { turn } = await retry<Retried>(id, 202);
  await end(id, turn, "failed");
  const made = await shared().call<SessionRow>("POST", `/api/sessions/${id}/regenerate`, undefined, 201);
  const { queue, messages } = await viewOf(made.id);
  expect([queue.map(({ text }) => text), messages]).toEqual([["go"], []]);
});

/** A session whose only turn failed after its first step. */
async function failed(): Promise<string> {
  const { id } = await shared().newSession({ input: { kind: "prompt", text: "go" } });
  const { input, position: from } = (await viewOf(id)).queue[0]!;
  const step = { step: "s1", attempt: 1 };
  await append(id, [
    { type: "turn_started", data: { turn: "t1", inputs: [input] } },
    { type: "input_delivered", data: { input, turn: "t1", from } },
    { type: "step_started", data: { turn: "t1", model: "m", ...step } },
    { type: "step_completed", data: { ...step, message: [{ type: "text", text: "I begin." }] } },
  ]);
  await end(id, "t1", "failed");
  return id;
}

function end(session: string, turn: string, outcome: "completed" | "failed"): Promise<void> {
  const error = { code: "auth", message: "the key was refused" };
  return append(session, [
    { type: "turn_ended", data: { turn, outcome, ...(outcome === "failed" && { error }) } },
  ]);
}

async function append(session: string, events: NewEvent[]): Promise<void> {
  const appended = await shared().store.append(session, events, {
    by: "client",
    author: { person: "owner" },
  });
  if (!appended.ok) throw new Error(appended.code);
}

function retry<T = Record<string, unknown>>(session: string, expected: number): Promise<T> {
  return shared().call<T>("POST", `/api/sessions/${session}/retry`, undefined, expected);
}

async function viewOf(session: string): Promise<View> {
  return (await shared().call<{ view: View }>("GET", `/api/sessions/${session}`)).view;
}
