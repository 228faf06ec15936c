import { expect, test } from "vitest";
import { emptyView, type OpenAsk, type QueuedInput, type Turn, type View } from "../../src/session/view.ts";
import { whatEnterDoes } from "./enter.ts";

const turn = { id: "turn_1", stopRequested: false } as Turn;
const ask = (kind: "approval" | "clarify") => ({ ask: "ask_1", kind, title: "?" }) as OpenAsk;
const queued = { input: "inp_1" } as QueuedInput;
const view = (more: Partial<View>): View => ({ ...emptyView(), ...more });

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
  expect(whatEnterDoes(now, chosen, false)).toMatchObject({ verb, does });
});

test("only while a turn runs is there another way to send", () => {
  expect(whatEnterDoes(view({}), "steer", false)).toMatchObject({ way: "queue", other: null });
  expect(whatEnterDoes(view({ turn }), "steer", false)).toMatchObject({
    way: "steer",
    other: { way: "queue" },
  });
});

test("with a file, what is sent is no answer", () => {
  expect(whatEnterDoes(view({ turn, asks: [ask("clarify")] }), "queue", true).verb).toBe("Queue");
});
