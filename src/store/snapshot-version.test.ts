// A stored view is folded on from, so one that an older fold made must not be taken for ours. What a log of every kind of
// fact folds to is known for each version: whoever changes it is told here to raise the version.
import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { apply } from "../session/apply.ts";
import { factData, type NewEvent } from "../session/event.ts";
import { formatPosition } from "../session/position.ts";
import { emptyView, MESSAGES_MAX } from "../session/view.ts";
import { SNAPSHOT_VERSION } from "./fold.ts";

/** When this is not what the log folds to: raise SNAPSHOT_VERSION and put the new number and digest here. */
const KNOWN = { version: 14, folds: "4c870b8e8a33049f" };

it("a fold that gives another view has another version, so that no snapshot of the one before is gone on from", () => {
  expect({ version: SNAPSHOT_VERSION, folds: digestOf(LOG) }).toEqual(KNOWN);
});

it("every kind of fact is in the log that is folded here: put a new one into it", () => {
  const types = new Set<string>(LOG.map(({ type }) => type));
  expect(Object.keys(factData).filter((type) => !types.has(type))).toEqual([]);
});

/** Of all the views on the way, since a snapshot is made of any of them. */
function digestOf(log: readonly NewEvent[]): string {
  const view = emptyView();
  const hash = createHash("sha256");
  let [seq, sub] = [0, 0];
  for (const { type, data } of log) {
    [seq, sub] = type === "draft" ? [seq, sub + 1] : [seq + 1, 0];
    const at = new Date(Date.UTC(2026, 0, 1, 0, 0, seq)).toISOString();
    const event = { position: formatPosition(seq, sub), at, by: { person: "owner" }, type, data };
    expect(apply(view, structuredClone(event)).outcome).toBe("applied");
    hash.update(JSON.stringify(view, inOrder));
  }
  return hash.digest("hex").slice(0, 16);
}

/** Whichever order its properties were set in, a view is the same. */
function inOrder(_: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

const usage = { inputTokens: 10, outputTokens: 5, cost: 0.25 };
const unpriced = { inputTokens: 20, outputTokens: 5 };
const long = { blob: "blb_1", bytes: 70_000, preview: "how it begins" };

const turn = (id: string, input: string): NewEvent[] => [
  { type: "input_admitted", data: { input, kind: "prompt", text: `do ${id}` } },
  { type: "turn_started", data: { turn: id, inputs: [input] } },
  { type: "input_delivered", data: { input, turn: id, from: formatPosition(1, 0) } },
];
const step = (turnId: string, id: string, attempt = 1): NewEvent => ({
  type: "step_started",
  data: { turn: turnId, step: id, attempt, model: "m" },
});
const draft = (part: string, kind: "text" | "args" | "output" | "reasoning", text: string): NewEvent => ({
  type: "draft",
  data: { part, kind, offset: 0, text },
});
const call = (id: string, name: string) => ({ type: "call" as const, call: id, name, args: { a: "x" } });
const proposed = (id: string, name: string): NewEvent => ({
  type: "tool_proposed",
  data: { step: "s1", call: id, name, args: { a: "x" }, effect: "unsafe" },
});

const LOG: readonly NewEvent[] = [
  { type: "session_created", data: { profile: "default", lane: "web:inbox", model: "m" } },
  { type: "workspace_chosen", data: { workspace: "/work" } },
  { type: "session_titled", data: { title: "A title" } },
  { type: "model_changed", data: { model: "n" } },
  { type: "rule_added", data: { tool: "shell", match: "ls *", decision: "allow" } },

  ...turn("t1", "inp_1"),
  step("t1", "s1"),
  draft("s1.1/0", "reasoning", "Hm."),
  draft("s1.1/1", "text", "I look"),
  { type: "executor_lost", data: { epoch: 1 } },
  { type: "executor_recovered", data: { epoch: 2, takeover: 1 } },
  { type: "step_aborted", data: { step: "s1", attempt: 1, reason: "its server was lost" } },
  step("t1", "s1", 2),
  draft("s1.2/0", "args", '{"a":'),
  {
    type: "step_completed",
    data: {
      step: "s1",
      attempt: 2,
      message: [
        { type: "reasoning", text: "Hm.", ms: 20 },
        { type: "text", text: long },
        call("c1", "shell"),
        call("c2", "ask"),
        call("c3", "delegate"),
      ],
      usage,
    },
  },
  proposed("c1", "shell"),
  proposed("c2", "ask"),
  proposed("c3", "delegate"),
  {
    type: "ask_opened",
    data: {
      ask: "ask_1",
      kind: "approval",
      title: "shell: ls",
      call: "c1",
      digest: "d",
      command: "ls",
      cwd: "/",
    },
  },
  { type: "ask_answered", data: { ask: "ask_1", kind: "approval", answer: { choice: "once" } } },
  {
    type: "process_started",
    data: { process: "prc_1", command: "ls", cwd: "/", call: "c1", background: false },
  },
  { type: "tool_started", data: { call: "c1", process: "prc_1", trace: { a: 1 } } },
  draft("c1/0", "output", "one\n"),
  { type: "process_exited", data: { process: "prc_1", exit: 0, cause: "exit" } },
  { type: "tool_finished", data: { call: "c1", status: "ok", result: "one\n", exit: 0 } },
  {
    type: "ask_opened",
    data: { ask: "ask_2", kind: "clarify", title: "Which?", call: "c2", multiple: true },
  },
  { type: "ask_closed", data: { ask: "ask_2", kind: "clarify", reason: "expired" } },
  { type: "tool_finished", data: { call: "c2", status: "denied", result: "expired" } },
  { type: "tool_started", data: { call: "c3" } },
  { type: "delegated", data: { session: "ses_c", call: "c3", background: false } },
  {
    type: "delegate_returned",
    data: { session: "ses_c", call: "c3", outcome: "completed", summary: "done" },
  },
  { type: "tool_finished", data: { call: "c3", status: "ok", result: long } },
  { type: "input_admitted", data: { input: "inp_2", kind: "steer", text: "faster" } },
  { type: "input_delivered", data: { input: "inp_2", turn: "t1", step: "s2", from: formatPosition(1, 0) } },
  step("t1", "s2"),
  {
    type: "step_aborted",
    data: {
      step: "s2",
      attempt: 1,
      reason: "context_too_long",
      error: { code: "context_too_long", message: "too long" },
    },
  },
  { type: "compaction_started", data: { covers: formatPosition(9, 0) } },
  { type: "compaction_failed", data: { reason: "no" } },
  { type: "compaction_started", data: { covers: formatPosition(9, 0) } },
  {
    type: "context_compacted",
    data: { summary: "so far", covers: formatPosition(9, 0), method: "model", usage: unpriced },
  },
  step("t1", "s2", 2),
  {
    type: "step_aborted",
    data: {
      step: "s2",
      attempt: 2,
      reason: "overloaded",
      retryAt: "2026-01-01T00:10:00.000Z",
      triedMs: 2_000,
    },
  },
  { type: "executor_gave_up", data: { epoch: 2, reason: "it does not fold" } },
  step("t1", "s2", 3),
  { type: "stop_requested", data: { turn: "t1" } },
  { type: "step_aborted", data: { step: "s2", attempt: 3, reason: "stopped", said: "I was" } },
  { type: "turn_ended", data: { turn: "t1", outcome: "stopped" } },

  { type: "input_admitted", data: { input: "inp_3", kind: "prompt", text: "later", delivery: "now" } },
  { type: "input_admitted", data: { input: "inp_4", kind: "prompt", text: "last" } },
  { type: "input_edited", data: { input: "inp_4", kind: "steer", text: "better" } },
  { type: "input_moved", data: { input: "inp_4", before: "inp_3" } },
  { type: "queue_held", data: { reason: "stopped" } },
  { type: "queue_released", data: {} },
  { type: "input_withdrawn", data: { input: "inp_3" } },
  {
    type: "process_started",
    data: { process: "prc_2", command: "serve", cwd: "/", background: true },
  },
  { type: "process_stale", data: { process: "prc_2" } },
  { type: "process_stopped", data: { process: "prc_2", exit: null } },
  {
    type: "process_started",
    data: { process: "prc_3", command: "serve", cwd: "/", background: true },
  },
  { type: "process_lost", data: { process: "prc_3" } },
  { type: "task_linked", data: { task: "tsk_1", title: "A task" } },
  { type: "task_finished", data: { task: "tsk_1", outcome: "done", summary: "all of it" } },
  { type: "reset_skipped", data: { reasons: ["a turn runs"] } },

  ...turn("t2", "inp_5"),
  { type: "turn_detached", data: { task: "tsk_2", foreground: "ses_f" } },
  step("t2", "s3"),
  {
    type: "step_completed",
    data: {
      step: "s3",
      attempt: 1,
      message: [{ type: "text", text: "That is all." }],
      usage,
      finish: "length",
    },
  },
  { type: "turn_ended", data: { turn: "t2", outcome: "completed", usage } },
  ...turn("t3", "inp_6"),
  { type: "turn_ended", data: { turn: "t3", outcome: "failed", error: { code: "auth", message: "no key" } } },
  { type: "turn_started", data: { turn: "t4", inputs: [], retries: "t3" } },
  { type: "turn_ended", data: { turn: "t4", outcome: "completed" } },
  ...Array.from({ length: MESSAGES_MAX }, (_, n): NewEvent => ({
    type: "notice",
    data: { level: "info", text: `notice ${n}` },
  })),
  { type: "session_forked", data: { from: "ses_a", at: formatPosition(9, 0) } },
  { type: "session_imported", data: { from: "ses_a", at: formatPosition(9, 0) } },
  { type: "session_ended", data: { reason: "reset", successor: "ses_b" } },
];
