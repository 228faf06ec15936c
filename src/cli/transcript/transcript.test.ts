import * as fc from "fast-check";
import { expect, test } from "vitest";
import { captureTerminal } from "../../../test/captured-terminal.ts";
import { apply } from "../../session/apply.ts";
import { logFrom, numbered } from "../../session/arbitrary-log.ts";
import { ownerOf, sweptBy } from "../../session/draft.ts";
import type { AnyEvent, NewEvent } from "../../session/event.ts";
import { emptyView, type View } from "../../session/view.ts";
import { Transcript } from "./transcript.ts";

const now = () => Date.parse("2026-01-01T12:00:00.000Z");

/** Follows the events one by one; with `showAfter` it begins with the view behind that one. */
function printed(events: readonly AnyEvent[], showAfter?: number): string {
  const { terminal, out } = captureTerminal();
  const transcript = new Transcript(terminal, now);
  const view: View = emptyView();
  events.forEach((event, n) => {
    const touched = apply(view, structuredClone(event));
    if (showAfter === undefined || n > showAfter) transcript.follow(event, view, touched);
    if (n === showAfter) transcript.show(view);
  });
  transcript.end();
  return out();
}

const draft = (part: string, kind: "text" | "output" | "args", offset: number, text: string): NewEvent => ({
  type: "draft",
  data: { part, kind, offset, text },
});

const story: NewEvent[] = [
  { type: "session_created", data: { profile: "default", title: "Red build" } },
  { type: "input_admitted", data: { input: "inp_1", kind: "prompt", text: "Why is the build red?\nLook." } },
  { type: "turn_started", data: { turn: "turn_1", inputs: ["inp_1"] } },
  { type: "input_delivered", data: { input: "inp_1", turn: "turn_1", from: "x" } } as NewEvent,
  { type: "step_started", data: { turn: "turn_1", step: "step_1", attempt: 1, model: "m" } },
  draft("step_1.1/0", "text", 0, "Let me "),
  draft("step_1.1/0", "text", 7, "look.\n"),
  draft("step_1.1/1", "args", 0, '{"command":'),
  {
    type: "step_completed",
    data: {
      step: "step_1",
      attempt: 1,
      message: [
        { type: "text", text: "Let me look.\nNow." },
        { type: "call", call: "call_1", name: "shell", args: { command: "npm test" } },
      ],
    },
  },
  {
    type: "tool_proposed",
    data: { step: "step_1", call: "call_1", name: "shell", args: { command: "npm test" }, effect: "unsafe" },
  },
  { type: "tool_started", data: { call: "call_1" } },
  draft("call_1/0", "output", 0, "FAIL \u001b[31mone"),
  draft("call_1/0", "output", 13, "\nFAIL two\n"),
  {
    type: "tool_finished",
    data: { call: "call_1", status: "error", result: "FAIL one\nFAIL two\n", exit: 1 },
  },
  {
    type: "turn_ended",
    data: { turn: "turn_1", outcome: "failed", error: { code: "x", message: "out of money" } },
  },
];

const expected = `
owner · 00:00
  Why is the build red?
  Look.

Let me look.
Now.

  ⚙ shell npm test
  │ FAIL one
  │ FAIL two
  ✗ error · exit 1 · 3.0 s

── failed · out of money · 12.0 s
`.trimStart();

test("a session is readable, with its text as it came and each word once", () => {
  expect(printed(numbered(story)).replace(/\d\d:\d\d/, "00:00")).toBe(expected);
});

test("it reads the same when the drafts were swept before anyone looked", () => {
  const events = numbered(story);
  const kept = events.filter(({ type }) => type !== "draft");
  expect(printed(kept).replace(/\d\d:\d\d/, "00:00")).toBe(expected);
});

test("a step that is interrupted says so, and its next attempt is printed anew", () => {
  const events = numbered([
    ...story.slice(0, 7),
    {
      type: "step_aborted",
      data: { step: "step_1", attempt: 1, reason: "cut", retryAt: "2026-01-01T12:34:00.000Z" },
    },
    { type: "step_started", data: { turn: "turn_1", step: "step_1", attempt: 2, model: "m" } },
    draft("step_1.2/0", "text", 0, "Again."),
  ]);
  expect(printed(events)).toMatch(
    /Let me look\.\n {2}· interrupted: cut; trying again at \d\d:\d\d\n\nAgain\.\n$/,
  );
});

test("an answer that ended early says why, once", () => {
  const completed = { step: "step_1", attempt: 1, message: [{ type: "text" as const, text: "Let me" }] };
  const events = numbered([
    ...story.slice(0, 5),
    { type: "step_completed", data: { ...completed, finish: "length" } },
    { type: "turn_ended", data: { turn: "turn_1", outcome: "completed" } },
  ]);
  expect(printed(events)).toContain("Let me\n  · The model stopped at its length limit.\n");
  expect(printed(events, 5).split("length limit")).toHaveLength(2);
});

test("two tools that talk at once are told apart", () => {
  const call = (name: string) =>
    ({ type: "call", call: name, name: "shell", args: { command: name } }) as const;
  const proposed = (name: string): NewEvent => ({
    type: "tool_proposed",
    data: { step: "s", call: name, name: "shell", args: { command: name }, effect: "unsafe" },
  });
  const events = numbered([
    story[0]!,
    { type: "step_started", data: { turn: "t", step: "s", attempt: 1, model: "m" } },
    { type: "step_completed", data: { step: "s", attempt: 1, message: [call("one"), call("two")] } },
    proposed("one"),
    proposed("two"),
    { type: "tool_started", data: { call: "one" } },
    { type: "tool_started", data: { call: "two" } },
    draft("one/0", "output", 0, "1a"),
    draft("two/0", "output", 0, "2a"),
    draft("one/0", "output", 2, "1b\n"),
  ]);
  expect(printed(events)).toBe(
    "  ⚙ shell one\n\n  ⚙ shell two\n  ⚙ shell one\n  │ 1a\n  ⚙ shell two\n  │ 2a\n  ⚙ shell one\n  │ 1b\n",
  );
});

const logs = fc
  .array(fc.nat({ max: 1_000_000 }), { minLength: 10, maxLength: 200, size: "max" })
  .map((choices) => numbered(logFrom(choices)));

test("whatever happens in a log, its texts are printed whole, in order, with or without their drafts", () => {
  let texts = 0;
  fc.assert(
    fc.property(logs, (events) => {
      const swept = new Set(events.flatMap((event) => sweptBy(event as NewEvent) ?? []));
      const kept = events.filter(
        (event) => event.type !== "draft" || !swept.has(ownerOf((event.data as { part: string }).part)),
      );
      for (const log of [events, kept]) {
        const out = printed(log);
        let at = 0;
        for (const [n, event] of log.entries()) {
          // What happens in the middle of a text stands in the middle of it.
          if (event.type !== "step_completed" || !isUndisturbed(log, n)) continue;
          for (const piece of (event.data as { message: { type: string; text?: string }[] }).message) {
            if (piece.type !== "text" || piece.text === undefined) continue;
            const found = out.indexOf(piece.text.trimEnd(), at);
            expect(found).toBeGreaterThanOrEqual(0);
            at = found;
            texts += 1;
          }
        }
      }
    }),
  );
  expect(texts).toBeGreaterThan(5);
});

/** Nothing but drafts between the beginning of a step and its end. */
function isUndisturbed(log: readonly AnyEvent[], end: number): boolean {
  return log.slice(0, end).findLast(({ type }) => type !== "draft")?.type === "step_started";
}

test("going on from a view repeats nothing of it", () => {
  const events = numbered(story);
  for (let at = 6; at < events.length; at++) {
    const out = printed(events, at);
    for (const once of ["Let me look.", "npm test", "Why is the build red?", "FAIL two"])
      expect(out.split(once), `${once} at ${at}`).toHaveLength(2);
  }
});

test("an input that waited is named again when it is taken up", () => {
  const queued: NewEvent[] = ["one", "two"].map((text) => ({
    type: "input_admitted",
    data: { input: `inp_${text}`, kind: "prompt", text: `Do ${text}.` },
  }));
  const after: NewEvent[] = [
    { type: "turn_ended", data: { turn: "turn_1", outcome: "completed" } },
    { type: "turn_started", data: { turn: "turn_2", inputs: ["inp_one"] } },
    { type: "input_delivered", data: { input: "inp_one", turn: "turn_2", from: "x" } } as NewEvent,
  ];
  const text = printed(numbered([...story.slice(0, 5), ...queued, ...after]));
  expect(text.split("\n").filter((line) => line.includes("taken up"))).toEqual(["  · taken up: Do one."]);
});

test("what is said about a command's end stands below its words, however those came", () => {
  const call = "call_1";
  const left = "[it left running: serve (pid 7); the process tool shows and stops it as prc_1]";
  const end = (said: string): NewEvent => ({
    type: "tool_finished",
    data: { call, status: "error", result: `${said}\n[exit 143: timed_out]\n${left}`, exit: 143 },
  });
  const begun = story.slice(0, 11);
  const lines = (count: number) => Array.from({ length: count }, (_, n) => `line ${n}`).join("\n");
  for (const [said, lastLive, lastReplayed] of [
    ["up", "up", "up"],
    ["up\n", "up", "up"],
    [lines(30), "line 29", "… 18 more lines"],
    [lines(2_000), "line 1999", expect.stringContaining("more lines")], // more than a view keeps of it
  ]) {
    const output = draft("call_1/0", "output", 0, said);
    const [live, replayed] = [
      [...begun, output, end(said)],
      [...begun, end(said)],
    ].map((events) => printed(numbered(events)).split("\n").slice(-6));
    const ends = ["  │ [exit 143: timed_out]", `  │ ${left}`, "  ✗ error · exit 143 · 1.0 s", "", ""];
    expect(live?.map((line) => line.replace(/\d\.0 s/, "1.0 s"))).toEqual([`  │ ${lastLive}`, ...ends]);
    expect(replayed?.map((line) => line.replace(/\d\.0 s/, "1.0 s"))).toEqual([
      typeof lastReplayed === "string" ? `  │ ${lastReplayed}` : lastReplayed,
      ...ends,
    ]);
  }
});

test("what waits can be left to its delivery, and then stands in front of what answers it", () => {
  const { terminal, out } = captureTerminal();
  const transcript = new Transcript(terminal, now, "when taken up");
  const view: View = emptyView();
  const follow = (events: readonly AnyEvent[]) => {
    for (const event of events) transcript.follow(event, view, apply(view, event));
  };
  const input: NewEvent = {
    type: "input_admitted",
    data: { input: "inp_2", kind: "prompt", text: "And then?" },
  };
  const taken: NewEvent[] = [
    { type: "turn_ended", data: { turn: "turn_1", outcome: "completed" } },
    { type: "turn_started", data: { turn: "turn_2", inputs: ["inp_2"] } },
    { type: "input_delivered", data: { input: "inp_2", turn: "turn_2", from: "x" } } as NewEvent,
  ];
  const events = numbered([...story.slice(0, 6), input, draft("step_1.1/0", "text", 7, "look."), ...taken]);
  follow(events.slice(0, 8));
  expect(out()).toContain("Let me look.");
  expect(out()).not.toContain("And then?");
  follow(events.slice(8));
  expect(out().split("And then?")).toHaveLength(2);
  expect(out()).not.toContain("taken up");
});

test("a question is told once, with what may be answered, and then its answer", () => {
  const [call, args] = ["call_1", { question: "Which?", choices: ["Left", "Right"] }];
  const choices = [
    { id: "1", label: "Left" },
    { id: "2", label: "Right" },
  ];
  const events = numbered([
    ...story.slice(0, 5),
    {
      type: "step_completed",
      data: { step: "step_1", attempt: 1, message: [{ type: "call", call, name: "ask", args }] },
    },
    { type: "tool_proposed", data: { step: "step_1", call, name: "ask", args, effect: "read" } },
    { type: "ask_opened", data: { ask: "ask_1", kind: "clarify", title: "Which?", call, choices } },
    { type: "ask_answered", data: { ask: "ask_1", kind: "clarify", answer: { values: ["2"] } } },
    { type: "tool_finished", data: { call, status: "ok", result: "Right" } },
  ]);
  const told = (showAfter?: number) => printed(events, showAfter).split("\n").slice(4).join("\n");
  expect(told()).toBe("  ⚙ ask Which?\n  · waits for an answer: Left | Right\n  ✓ Right\n");
  expect(told(events.length - 1)).toBe("  ⚙ ask Which?\n  ✓ Right\n");
});

test.each([
  ["its end alone when it ends with its call", true],
  ["the end of what its command has left running", false],
])("a process that a call waits for is told by %s", (_, isWhole) => {
  const process = "prc_1";
  const exited: NewEvent = { type: "process_exited", data: { process, exit: 0, cause: "exit" } };
  const [call, args] = ["call_1", { command: "serve &" }];
  const finished: NewEvent = { type: "tool_finished", data: { call, status: "ok", result: "", exit: 0 } };
  const events = numbered([
    { type: "session_created", data: { profile: "default" } },
    { type: "turn_started", data: { turn: "turn_1", inputs: [] } },
    { type: "step_started", data: { turn: "turn_1", step: "step_1", attempt: 1, model: "m" } },
    {
      type: "step_completed",
      data: { step: "step_1", attempt: 1, message: [{ type: "call", call, name: "shell", args }] },
    },
    { type: "tool_proposed", data: { step: "step_1", call, name: "shell", args, effect: "unsafe" } },
    { type: "process_started", data: { process, command: "serve &", cwd: "/", call, background: false } },
    { type: "tool_started", data: { call, process } },
    ...(isWhole ? [exited, finished] : [finished, exited]),
  ]);
  for (const showAfter of [undefined, events.length - 3, events.length - 2])
    expect(printed(events, showAfter).includes("prc_1 exited")).toBe(!isWhole);
});
