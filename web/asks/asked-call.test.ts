import { expect, test } from "vitest";
import { apply } from "../../src/session/apply.ts";
import { numbered } from "../../src/session/arbitrary-log.ts";
import type { Piece } from "../../src/session/event.ts";
import { emptyView } from "../../src/session/view.ts";
import { askedCall, givenTo } from "./asked-call.ts";

function viewWith(message: Piece[]) {
  const view = emptyView();
  const log = numbered([
    { type: "session_created", data: { profile: "careful" } },
    { type: "turn_started", data: { turn: "turn_1", inputs: [] } },
    { type: "step_started", data: { turn: "turn_1", step: "step_1", attempt: 1, model: "m" } },
    { type: "step_completed", data: { step: "step_1", attempt: 1, message } },
  ]);
  for (const event of log) apply(view, event);
  return view;
}
const call = (id: string, args: unknown): Piece => ({ type: "call", call: id, name: "shell", args });

test("a call is told with the words before it, and not with those of another or after it", () => {
  const view = viewWith([
    { type: "text", text: "It changes the replica." },
    call("call_1", { command: "psql" }),
    { type: "text", text: "And then this." },
    call("call_2", { command: "ls" }),
  ]);
  expect(askedCall(view, "call_1")).toEqual({
    tool: "shell",
    args: { command: "psql" },
    why: "It changes the replica.",
    profile: "careful",
  });
});

test("a call that the view does not hold is not made up", () => {
  expect(askedCall(viewWith([call("call_1", {})]), "call_9")).toBeUndefined();
  expect(askedCall(viewWith([call("call_1", {})]), null)).toBeUndefined();
});

test("what it was given is told by the ask, and by the call what is too long for that, or where the ask is an older server's", () => {
  const ask = {
    command: null,
    cwd: "/work",
    details: [
      { name: "path", text: "a.txt" },
      { name: "text", text: "begins", bytes: 90_000 },
      { name: "leads to", text: "b.txt" },
    ],
  };
  const known = { tool: "write", args: { path: "a.txt", text: "begins and ends" }, why: "", profile: "p" };
  expect(givenTo(ask, known)).toEqual([
    ["path", "a.txt"],
    ["text", "begins and ends"],
    ["leads to", "b.txt"],
  ]);
  expect(givenTo(ask, undefined)).toEqual([
    ["path", "a.txt"],
    ["text", "begins\n[the beginning of 90,000 bytes]"],
    ["leads to", "b.txt"],
  ]);
  const older = { command: "make", cwd: "/work" };
  expect(givenTo(older, { ...known, args: { command: "make", background: true } })).toEqual([
    ["background", "true"],
  ]);
  expect(givenTo(older, undefined)).toEqual([]);
});
