import { expect, it } from "vitest";
import type { NewEvent } from "../../session/event.ts";
import { prepareBatch } from "../batch.ts";
import type { Writer } from "../store.ts";
import { groupOf, joined, positionsIn, type Group, type Waiting } from "./append-group.ts";

const client: Writer = { by: "client", author: { person: "owner" } };
const executor = (epoch: number): Writer => ({
  by: "executor",
  lease: { log: "ses_1", holder: "nod_1", epoch, ttlMs: 1000 },
});

const completed: NewEvent = { type: "step_completed", data: { step: "s", attempt: 1, message: [] } };
const ended: NewEvent = { type: "session_ended", data: { reason: "done" } };

it("appends of one proof are one group, whose members know their own positions", () => {
  const group = groupUp([waiting([draft("a"), draft("b")], executor(1)), waiting([draft("c")], executor(1))]);
  expect(positions(group, 7, 3)).toEqual(["7.5", "7.6"]);
  const facts = groupUp([
    waiting([notice(), notice()], client),
    waiting([notice()], client),
    waiting([draft("d")], client),
  ]);
  expect(positions(facts, 7, 3)).toEqual(["9.0", "10.0", "10.1"]);
});

it("a group is the same batch as one append of all that its members bring", () => {
  const ask = { ask: "ask_1", kind: "clarify" as const, title: "Which?", choices: [] };
  const process = { process: "prc_1", command: "make", cwd: "/", call: "c1", background: false };
  const members: NewEvent[][] = [
    [notice(), { type: "ask_opened", data: ask }],
    [
      { type: "process_started", data: process },
      { type: "tool_started", data: { call: "c1", process: "prc_1" } },
    ],
    [{ type: "ask_answered", data: { ask: "ask_1", kind: "clarify", answer: { text: "this" } } }],
    [completed, draft("a", "t.1/0")],
    [draft("b", "t.1/0"), draft("c", "t.1/0")],
  ];
  expect(groupUp(members.map((events) => waiting(events, client))).batch).toEqual(
    groupOf(waiting(members.flat(), client)).batch,
  );
  const late: NewEvent[][] = [[completed, draft("after its fact")], [notice()]];
  expect(groupUp(late.map((events) => waiting(events, client))).batch).toEqual(
    groupOf(waiting(late.flat(), client)).batch,
  );
  const [first, last] = [waiting([notice()], client), waiting([ended], client)];
  expect(groupUp([first, { ...last, at: 7 }])).toMatchObject({
    at: 7,
    batch: { ends: { successor: null }, facts: 2 },
  });
});

it("a member that may be refused by itself is judged by itself", () => {
  const plain = groupOf(waiting([notice()], executor(1)));
  const key = { scope: "s", key: "k", digest: "d", note: null };
  expect(joined(plain, waiting([notice()], executor(2)))).toBeUndefined();
  expect(joined(plain, waiting([notice()], client))).toBeUndefined();
  const another: Writer = { by: "executor", lease: { log: "ses_1", holder: "nod_2", epoch: 1, ttlMs: 1000 } };
  expect(joined(plain, waiting([notice()], another))).toBeUndefined();
  expect(
    joined(groupOf(waiting([notice()], client)), { ...waiting([notice()], client), key }),
  ).toBeUndefined();
  expect(joined(plain, { ...waiting([notice()], executor(1)), expectSeq: 3 })).toBeUndefined();
  expect(
    joined(groupOf({ ...waiting([notice()], client), key }), waiting([notice()], client)),
  ).toBeUndefined();
  expect(
    joined(groupOf({ ...waiting([notice()], client), expectSeq: 1 }), waiting([notice()], client)),
  ).toBeUndefined();
  expect(joined(groupOf(waiting([ended], client)), waiting([notice()], client))).toBeUndefined();
});

it("a fact does not join drafts that it could sweep", () => {
  const drafting = groupOf(waiting([draft("a")], executor(1)));
  expect(joined(drafting, waiting([notice()], executor(1)))).toBeUndefined();
  expect(joined(drafting, waiting([draft("b")], executor(1)))).toBeDefined();
});

it("drafts that come with the fact that carries them are not written, and keep their places", () => {
  const group = groupOf(waiting([draft("a"), draft("b"), completed, draft("c", "other/0")], executor(1)));
  expect(group.batch.entries.map(({ owner, facts, drafts }) => ({ owner, facts, drafts }))).toEqual([
    { owner: null, facts: 1, drafts: 0 },
    { owner: "other", facts: 1, drafts: 1 },
  ]);
  expect(positions(group, 4, 0)).toEqual(["5.1"]);
});

it("the changes of a group's members to their row add up", () => {
  const input = (n: number): NewEvent => ({
    type: "input_admitted",
    data: { input: `i${n}`, kind: "prompt", text: "x" },
  });
  const group = groupUp([
    waiting([input(1)], client),
    waiting([{ type: "queue_held", data: { reason: "stop" } }], client),
    waiting([input(2), input(3)], client),
  ]);
  expect(group.batch.change).toEqual({ set: { held: false }, add: { messages: 3, queued: 3 }, moves: true });
});

function groupUp([first, ...rest]: Waiting[]): Group {
  if (!first) throw new Error("nothing to group");
  return rest.reduce((group, next) => {
    const grown = joined(group, next);
    if (!grown) throw new Error("they do not join");
    return grown;
  }, groupOf(first));
}

function waiting(events: NewEvent[], writer: Writer): Waiting {
  const batch = prepareBatch(events, "2026-11-15T09:00:00.000Z", { person: "owner" });
  const callbacks = { resolve: () => {}, reject: () => {} };
  const plain = {
    at: 0,
    time: "",
    expectSeq: undefined,
    key: undefined,
    note: undefined,
    starts: [],
    retries: 0,
  };
  return { log: "ses_1", batch, writer, ...plain, ...callbacks };
}

function positions(group: Group, seq: number, sub: number): string[] {
  return positionsIn(group, seq, sub).map((position) => position.split("_").map(Number).join("."));
}

function draft(text: string, part = "s.1/0"): NewEvent {
  return { type: "draft", data: { part, kind: "text", offset: 0, text } };
}

function notice(): NewEvent {
  return { type: "notice", data: { level: "info", text: "n" } };
}
