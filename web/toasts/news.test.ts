import { expect, test } from "vitest";
import { apply } from "../../src/session/apply.ts";
import { numbered } from "../../src/session/arbitrary-log.ts";
import { emptyView } from "../../src/session/view.ts";
import { endingOf, lastWords } from "./news.ts";

const idle = { status: "idle", attention: null, origin: null } as const;

function viewEnding(outcome: "completed" | "failed" | "stopped", text = "All\n  done.") {
  const view = emptyView();
  const error = { code: "no_access", message: "no access to the bucket" };
  const log = numbered([
    { type: "session_created", data: { profile: "default" } },
    { type: "turn_started", data: { turn: "turn_1", inputs: [] } },
    { type: "step_started", data: { turn: "turn_1", step: "step_1", attempt: 1, model: "m" } },
    {
      type: "step_completed",
      data: { step: "step_1", attempt: 1, message: [{ type: "text", text }] },
    },
    { type: "turn_ended", data: { turn: "turn_1", outcome, ...(outcome === "failed" && { error }) } },
  ]);
  for (const event of log) apply(view, event);
  return view;
}

test("work that comes to rest has finished, or failed", () => {
  expect(endingOf({ status: "running" }, idle)).toBe("finished");
  expect(endingOf({ status: "queued" }, idle)).toBe("finished");
  expect(endingOf({ status: "waiting" }, { ...idle, attention: { kind: "failed", count: 1 } })).toBe(
    "failed",
  );
});

test("what goes on, what had not begun, and what was never seen at work is no ending", () => {
  expect(endingOf({ status: "running" }, { ...idle, status: "waiting" })).toBeUndefined();
  expect(endingOf({ status: "idle" }, idle)).toBeUndefined();
  expect(endingOf(undefined, idle)).toBeUndefined();
});

test("a delegate's end is the affair of the session that it works for", () => {
  const origin = { kind: "delegation", session: "ses_1" } as const;
  expect(endingOf({ status: "running" }, { ...idle, origin })).toBeUndefined();
});

test("where the view is at hand, a stop is told from an end", () => {
  expect(endingOf({ status: "running" }, idle, viewEnding("stopped"))).toBe("stopped");
  expect(endingOf({ status: "running" }, idle, viewEnding("completed"))).toBe("finished");
});

test("the last words are told without the signs of Markdown", () => {
  const view = viewEnding("completed", "## Result\n\n**Demo** · in `a.ts`:\n\n> - 3 * 4\n> 2");
  expect(lastWords(view)).toBe("Result Demo · in a.ts: 3 * 4 2");
});

test("the last words are what was said, or what went wrong", () => {
  expect(lastWords(viewEnding("completed"))).toBe("All done.");
  expect(lastWords(viewEnding("failed"))).toBe("no access to the bucket");
  expect(lastWords(undefined)).toBe("");
});
