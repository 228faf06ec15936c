import { expect, test } from "vitest";
import { formatPosition } from "../../src/session/position.ts";
import { emptyView, type OpenAsk, type QueuedInput, type Turn, type View } from "../../src/session/view.ts";
import { whatEnterDoes, type Writing } from "./enter.ts";

const turn = { id: "turn_1", stopRequested: false } as Turn;
const ask = (kind: "approval" | "clarify", id = "ask_1", seq = 5) =>
  ({ ask: id, kind, title: "?", position: formatPosition(seq, 0) }) as OpenAsk;
const queued = { input: "inp_1" } as QueuedInput;
const view = (more: Partial<View>): View => ({ ...emptyView(), ...more });
const writing = (more: Partial<Writing> = {}): Writing => ({
  way: "queue",
  hasFiles: false,
  begun: null,
  asked: null,
  answered: [],
  ...more,
});

test.each([
  ["nothing goes on", view({}), "queue", "Send", "sends it"],
  ["a turn runs", view({ turn }), "queue", "Queue", "queues it after this turn"],
  ["a turn runs and steering was chosen", view({ turn }), "steer", "Steer", "steers the turn that runs"],
  ["a question is open", view({ turn, asks: [ask("clarify")] }), "steer", "Answer", "answers the question"],
  [
    "an approval is open",
    view({ turn, asks: [ask("approval")] }),
    "queue",
    "Queue",
    "queues it: an approval is open",
  ],
  [
    "the turn is being stopped",
    view({ turn: { ...turn, stopRequested: true } }),
    "steer",
    "Queue",
    "queues it: the turn is being stopped",
  ],
  [
    "the queue is held",
    view({ queue: [queued, queued], held: true }),
    "queue",
    "Send",
    "sends it behind the 2 that wait, and they go on",
  ],
] as const)("when %s, Enter says what it does", (_, now, chosen, verb, does) => {
  expect(whatEnterDoes(now, writing({ way: chosen }))).toMatchObject({ verb, does });
});

test("only while a turn runs is there another way to send", () => {
  expect(whatEnterDoes(view({}), writing({ way: "steer" }))).toMatchObject({ way: "queue", other: null });
  expect(whatEnterDoes(view({ turn }), writing({ way: "steer" }))).toMatchObject({
    way: "steer",
    other: { way: "queue" },
  });
});

test("with a file, what is sent is no answer", () => {
  expect(whatEnterDoes(view({ turn, asks: [ask("clarify")] }), writing({ hasFiles: true }))).toMatchObject({
    verb: "Queue",
    answers: null,
    isPast: false,
  });
});

test("a question that came after the first word is not answered by it, one that stood there is", () => {
  const now = view({ turn, asks: [ask("clarify", "ask_1", 5)] });
  expect(whatEnterDoes(now, writing({ begun: formatPosition(4, 9) }))).toMatchObject({
    verb: "Queue",
    does: "queues it: a question is open",
    answers: null,
    isPast: true,
  });
  expect(whatEnterDoes(now, writing({ begun: formatPosition(5, 0) }))).toMatchObject({
    verb: "Answer",
    answers: "ask_1",
    isPast: false,
  });
});

test("what follows an answer that is on its way is not another answer to the same question", () => {
  const now = view({ turn, asks: [ask("clarify", "ask_1"), ask("clarify", "ask_2")] });
  expect(whatEnterDoes(now, writing({ answered: ["ask_1"] }))).toMatchObject({ answers: "ask_2" });
  expect(whatEnterDoes(now, writing({ answered: ["ask_1", "ask_2"] }))).toMatchObject({
    verb: "Queue",
    answers: null,
    isPast: false,
  });
});

test("what was begun for one question answers no other, though that stood there as well", () => {
  const asked = [ask("clarify", "ask_1"), ask("clarify", "ask_2")];
  const begun = { begun: formatPosition(9, 0), asked };
  const both = view({ turn, asks: asked });
  expect(whatEnterDoes(both, writing(begun))).toMatchObject({ answers: "ask_1", isPast: false });
  const later = view({ turn, asks: asked.slice(1) });
  expect(whatEnterDoes(later, writing(begun))).toMatchObject({ answers: null, isPast: true, isLate: true });
});
