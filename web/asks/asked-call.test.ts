import { expect, test } from "vitest";
import { apply } from "../../src/session/apply.ts";
import { numbered } from "../../src/session/arbitrary-log.ts";
import type { Piece } from "../../src/session/event.ts";
import { emptyView } from "../../src/session/view.ts";
import { askedCall, otherArguments } from "./asked-call.ts";

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

test("arguments are all there but for what is shown already", () => {
  const args = { command: "make", cwd: "sub", background: true, env: { A: "1" } };
  expect(otherArguments(args, ["make", "/work/sub"])).toEqual([
    ["cwd", "sub"],
    ["background", "true"],
    ["env", '{\n "A": "1"\n}'],
  ]);
  expect(otherArguments("odd", [])).toEqual([["arguments", '"odd"']]);
});
