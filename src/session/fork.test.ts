import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { apply } from "./apply.ts";
import { logFrom, numbered } from "./arbitrary-log.ts";
import type { AnyEvent, NewEvent } from "./event.ts";
import { forkPoint, mendFork } from "./fork.ts";
import { START } from "./position.ts";
import { emptyView, type View } from "./view.ts";

const choices = fc.array(fc.nat({ max: 1_000_000 }), { minLength: 1, maxLength: 300, size: "max" });

function fold(events: readonly AnyEvent[]): View {
  const view = emptyView();
  for (const event of events) apply(view, event);
  return view;
}

describe("a fork", () => {
  it("leaves nothing open that only the original could go on with", () => {
    let mended = 0;
    fc.assert(
      fc.property(choices, fc.nat(), (list, where) => {
        const facts = numbered(logFrom(list).filter((event) => event.type !== "draft"));
        const at = facts[where % facts.length]!.position;
        const point = forkPoint(facts, at);
        expect(point <= at).toBe(true);
        const copied = facts.filter(({ position }) => position <= point);
        const mending = mendFork(fold(copied));
        mended += mending.length;
        const whole = fold(numbered([...copied, ...mending] as NewEvent[]));
        expect(whole).toMatchObject({ turn: null, queue: [], asks: [], held: false });
        const unfinished = whole.messages.flatMap((message) =>
          message.kind === "step"
            ? message.parts.filter((part) => part.kind === "tool" && part.state !== "finished")
            : [],
        );
        expect(unfinished).toEqual([]);
        expect(
          whole.messages.filter((message) => message.kind === "step" && message.state === "streaming"),
        ).toEqual([]);
      }),
      { numRuns: 200 },
    );
    expect(mended).toBeGreaterThan(0);
  });

  it("moves back to the end of a step", () => {
    const facts = numbered([
      { type: "session_created", data: { profile: "default" } },
      { type: "turn_started", data: { turn: "t", inputs: [] } },
      { type: "step_started", data: { turn: "t", step: "a", attempt: 1, model: "m" } },
      {
        type: "step_completed",
        data: { step: "a", attempt: 1, message: [{ type: "call", call: "c", name: "shell", args: {} }] },
      },
      { type: "tool_proposed", data: { step: "a", call: "c", name: "shell", args: {}, effect: "unsafe" } },
      { type: "tool_finished", data: { call: "c", status: "ok", result: "" } },
      { type: "step_started", data: { turn: "t", step: "b", attempt: 1, model: "m" } },
    ]);
    expect(forkPoint(facts)).toBe(facts[5]!.position);
    expect(forkPoint(facts, facts[4]!.position)).toBe(facts[0]!.position);
    expect(forkPoint([])).toBe(START);
  });
});
