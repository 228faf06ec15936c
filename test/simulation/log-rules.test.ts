import { describe, expect, it } from "vitest";
import type { AnyEvent, By, NewEvent } from "../../src/session/event.ts";
import { formatPosition } from "../../src/session/position.ts";
import { checkLog } from "./log-rules.ts";

const anna: By = { person: "anna" };
const executor = (epoch: number): By => ({ executor: "nod_1", epoch });

type Line = readonly [by: By, event: NewEvent];

/** A turn with a call that a person allows, and then a word. */
const whole: readonly Line[] = [
  [anna, { type: "session_created", data: { profile: "default" } }],
  [anna, { type: "input_admitted", data: { input: "inp_1", kind: "prompt", text: "go" } }],
  [executor(1), { type: "turn_started", data: { turn: "t1", inputs: ["inp_1"] } }],
  [
    executor(1),
    { type: "input_delivered", data: { input: "inp_1", turn: "t1", from: formatPosition(2, 0) } },
  ],
  [executor(1), { type: "step_started", data: { turn: "t1", step: "s1", attempt: 1, model: "m" } }],
  [
    executor(1),
    {
      type: "step_completed",
      data: { step: "s1", attempt: 1, message: [{ type: "call", call: "c1", name: "shell", args: {} }] },
    },
  ],
  [
    executor(1),
    { type: "tool_proposed", data: { step: "s1", call: "c1", name: "shell", args: {}, effect: "unsafe" } },
  ],
  [
    executor(1),
    { type: "ask_opened", data: { ask: "ask_1", kind: "approval", title: "May I?", call: "c1" } },
  ],
  [anna, { type: "ask_answered", data: { ask: "ask_1", kind: "approval", answer: { choice: "once" } } }],
  [executor(2), { type: "tool_started", data: { call: "c1" } }],
  [executor(2), { type: "tool_finished", data: { call: "c1", status: "ok", result: "done" } }],
  [executor(2), { type: "step_started", data: { turn: "t1", step: "s2", attempt: 1, model: "m" } }],
  [
    executor(2),
    { type: "step_completed", data: { step: "s2", attempt: 1, message: [{ type: "text", text: "Done." }] } },
  ],
  [executor(2), { type: "turn_ended", data: { turn: "t1", outcome: "completed" } }],
];

function faultsOf(lines: readonly Line[]): string[] {
  const faults: string[] = [];
  const events = lines.map(([by, event], n): AnyEvent => ({
    position: formatPosition(n + 1, 0),
    at: "2026-11-15T09:00:00.000Z",
    by,
    ...event,
  }));
  checkLog(events, true, (holds, what) => void (holds || faults.push(what)));
  return faults;
}

const at = (type: string, nth = 1) => {
  const found = whole.flatMap(([, event], n) => (event.type === type ? [n] : []))[nth - 1];
  if (found === undefined) throw new Error(`there is no ${type} in it`);
  return found;
};
const without = (n: number) => whole.toSpliced(n, 1);
const twice = (n: number) => whole.toSpliced(n, 0, ...whole.slice(n, n + 1));
const before = (n: number, ...lines: Line[]) => whole.toSpliced(n, 0, ...lines);

describe("the rules of a log", () => {
  it("find nothing in a log that is whole", () => {
    expect(faultsOf(whole)).toEqual([]);
  });

  const stop: Line = [anna, { type: "stop_requested", data: { turn: "t1" } }];
  const recovered = (takeover: number): Line => [
    executor(1),
    { type: "executor_recovered", data: { epoch: 1, takeover } },
  ];
  const more: Line = [
    anna,
    { type: "input_admitted", data: { input: "inp_2", kind: "prompt", text: "more" } },
  ];
  const stopped: Line = [executor(2), { type: "turn_ended", data: { turn: "t1", outcome: "stopped" } }];
  const withdrawn: Line = [anna, { type: "input_withdrawn", data: { input: "inp_1" } }];
  it.each<[string, readonly Line[], RegExp]>([
    [
      "an epoch that goes down",
      before(12, [executor(1), { type: "queue_released", data: {} }]),
      /epoch 1, after/,
    ],
    ["a call without a result", without(at("tool_finished")), /before c1 have their results/],
    ["a call with two results", twice(at("tool_finished")), /c1, which is not open/],
    ["an ask with two answers", twice(at("ask_answered")), /ask_1, which is not open/],
    ["an ask that outlives its turn", without(at("ask_answered")), /ask_1 outlive their turn/],
    ["an input delivered twice", twice(at("input_delivered")), /inp_1 is delivered from/],
    [
      "an input delivered after it was withdrawn",
      before(at("turn_started"), withdrawn),
      /inp_1 is delivered from/,
    ],
    ["an input that nobody took", before(at("turn_ended"), more), /inp_2 wait though all is done/],
    ["a model called after the stop", before(at("step_started", 2), stop), /called after the stop/],
    [
      "a model called after too many takeovers",
      before(at("step_started"), ...[1, 2, 3, 4].map(recovered)),
      /after 4 takeovers/,
    ],
    ["a turn within a turn", twice(at("turn_started")), /t1 starts within t1/],
    ["a turn without an end", without(at("turn_ended")), /t1 has no end/],
    ["a step that outlives its turn", without(at("step_completed", 2)), /s2.1 outlives its turn/],
    ["a queue that goes on after a stop", whole.with(-1, more).concat([stopped]), /not held after the stop/],
  ])("find %s", (_, lines, expected) => {
    expect(faultsOf(lines).join("\n")).toMatch(expected);
  });

  const aborted: Line = [
    executor(2),
    { type: "step_aborted", data: { step: "s2", attempt: 1, reason: "stopped", said: "Do" } },
  ];
  it("find a stop that does not tell what was said", () => {
    const end = whole.slice(0, at("step_completed", 2)).concat([stop, aborted, stopped]);
    expect(faultsOf(end).join("\n")).toMatch(/stopped after "", told "Do"/);
  });

  it("find a fact that is missing", () => {
    const faults: string[] = [];
    const events = whole.map(([by, event], n): AnyEvent => ({
      position: formatPosition(n < 3 ? n + 1 : n + 2, 0),
      at: "",
      by,
      ...event,
    }));
    checkLog(events, true, (holds, what) => void (holds || faults.push(what)));
    expect(faults.join("\n")).toMatch(/follows fact 3/);
  });
});
