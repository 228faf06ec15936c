import { expect, test } from "vitest";
import type { SessionRow } from "../../src/protocol/http.ts";
import { apply } from "../../src/session/apply.ts";
import { numbered } from "../../src/session/arbitrary-log.ts";
import type { NewEvent } from "../../src/session/event.ts";
import { emptyView } from "../../src/session/view.ts";
import { START } from "../../src/session/position.ts";
import { rowWords } from "./row-words.ts";
import { sampleRow } from "./sample-row.ts";

const row = (given: Partial<SessionRow> = {}) =>
  sampleRow("ses_1", { title: null, status: "running", messages: 2, ...given });

const BEGUN: NewEvent[] = [
  { type: "session_created", data: { profile: "default" } },
  { type: "turn_started", data: { turn: "turn_1", inputs: [] } },
  { type: "step_started", data: { turn: "turn_1", step: "step_1", attempt: 1, model: "m" } },
];
const args = { command: "npm test --\n  billing" };
const CALLED: NewEvent[] = [
  {
    type: "step_completed",
    data: { step: "step_1", attempt: 1, message: [{ type: "call", call: "call_1", name: "shell", args }] },
  },
  { type: "tool_proposed", data: { step: "step_1", call: "call_1", name: "shell", args, effect: "unsafe" } },
];

function viewAfter(...events: NewEvent[]) {
  const view = emptyView();
  for (const event of numbered([...BEGUN, ...events])) apply(view, event);
  return view;
}

const words = (given: Partial<SessionRow>, view = viewAfter(), delegates = 0) =>
  rowWords(row(given), view, delegates, Date.parse("2026-11-15T10:00:00.000Z"));

test("a session at work says what it does", () => {
  const draft = (kind: "text" | "reasoning"): NewEvent => ({
    type: "draft",
    data: { part: "step_1.1/0", kind, offset: 0, text: "so" },
  });
  expect(words({})).toBe("thinking");
  expect(words({}, viewAfter(draft("reasoning")))).toBe("thinking");
  expect(words({}, viewAfter(draft("text")))).toBe("writing");
  const started = viewAfter(...CALLED, { type: "tool_started", data: { call: "call_1" } });
  expect(words({}, started)).toBe("shell npm test -- billing");
  expect(words({ queued: 2 }, started)).toBe("shell npm test -- billing · 2 queued");
  expect(words({}, started, 3)).toBe("3 agents at work");
});

test("one that needs somebody says for what", () => {
  const asked = viewAfter(...CALLED, {
    type: "ask_opened",
    data: { ask: "ask_1", kind: "approval", title: "shell: npm", call: "call_1", command: args.command },
  });
  const given = { status: "waiting", attention: { kind: "approval", count: 1 } } as const;
  expect(words(given, asked)).toBe("wants to run npm test -- billing");
  expect(rowWords(row(given), undefined, 0, 0)).toBe("wants an approval");
});

test("one at rest says how it came to rest", () => {
  const error = { code: "no_access", message: "no access to the bucket" };
  const failed = viewAfter({ type: "turn_ended", data: { turn: "turn_1", outcome: "failed", error } });
  const attention = { kind: "failed", count: 1 } as const;
  expect(words({ status: "idle", attention }, failed)).toBe("failed: no access to the bucket");
  expect(rowWords(row({ status: "idle", attention }), undefined, 0, 0)).toBe("failed");
  expect(words({ status: "idle" })).toBe("2 messages");
  expect(words({ status: "idle", messages: 0 })).toBe("nothing said yet");
});

test("a fork is told from what it was forked from, whose title it has", () => {
  const origin = { kind: "fork", session: "ses_0", at: START } as const;
  expect(rowWords(row({ status: "idle", origin }), undefined, 0, 0)).toBe("fork · 2 messages");
});
