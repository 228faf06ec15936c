import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { planCompaction, sizeOf, summaryText, transcriptOf, type Plan } from "./compaction.ts";
import { applyContext, emptyContext, isInput, type Context } from "./context.ts";
import type { AnyEvent, NewFact } from "./event.ts";
import { formatPosition } from "./position.ts";

/** A conversation as facts: inputs, steps with so many calls, and their results in some order. */
const conversation = fc.array(
  fc.oneof(
    fc.record({ input: fc.string({ maxLength: 40 }) }),
    fc.record({
      said: fc.string({ maxLength: 20 }),
      results: fc.array(fc.string({ maxLength: 400 }), { maxLength: 3 }),
      backwards: fc.boolean(),
    }),
  ),
  { minLength: 1, maxLength: 30 },
);
type Talk = typeof conversation extends fc.Arbitrary<infer T> ? T : never;

function told(talk: Talk): { context: Context; append: (fact: NewFact) => void } {
  const context = emptyContext();
  let seq = 0;
  const append = (fact: NewFact) => {
    seq += 1;
    const event: AnyEvent = { position: formatPosition(seq, 0), at: "", by: { person: "a" }, ...fact };
    applyContext(context, event);
  };
  for (const [n, part] of talk.entries()) {
    if ("input" in part) {
      const input = `inp_${n}`;
      append({ type: "input_admitted", data: { input, kind: "prompt", text: part.input } });
      append({ type: "input_delivered", data: { input, turn: "t", from: "" } });
      continue;
    }
    const calls = part.results.map((result, call) => ({ call: `s${n}-${call}`, result }));
    append({
      type: "step_completed",
      data: {
        step: `s${n}`,
        attempt: 1,
        message: [
          { type: "text", text: part.said },
          ...calls.map(({ call }) => ({ type: "call" as const, call, name: "shell", args: {} })),
        ],
      },
    });
    for (const { call, result } of part.backwards ? calls.toReversed() : calls)
      append({ type: "tool_finished", data: { call, status: "ok", result } });
  }
  return { context, append };
}

function compacted(context: Context, plan: Plan): NewFact {
  const summary = summaryText(plan, context, "model", "what happened");
  return { type: "context_compacted", data: { summary, covers: plan.covers, method: "model" } };
}

describe("a compaction", () => {
  it("never parts a call from its result, keeps the last input, and goes forward", () => {
    let compactions = 0;
    fc.assert(
      fc.property(conversation, fc.integer({ min: 1, max: 200 }), (talk, contextTokens) => {
        const { context, append } = told(talk);
        const last = context.entries.findLast(isInput);
        for (let plan = planCompaction(context, contextTokens); plan;) {
          compactions += 1;
          const { covers, covered } = plan;
          expect(covers > context.covers).toBe(true);
          const tail = context.entries.slice(covered.length);
          append(compacted(context, plan));
          expect(context.covers).toBe(covers);
          expect(context.entries.slice(context.entries.length - tail.length)).toEqual(tail);
          expect(unpaired(context)).toEqual([]);
          expect(context.entries.findLast(isInput)).toEqual(last);
          expect(
            context.entries.filter((entry) => entry.role === "person" && entry.kind === "summary"),
          ).toHaveLength(1);
          plan = planCompaction(context, contextTokens);
        }
      }),
    );
    expect(compactions).toBeGreaterThan(100);
  });

  it("keeps of what was said last a quarter of what the model can take", () => {
    fc.assert(
      fc.property(conversation, fc.integer({ min: 1, max: 200 }), (talk, contextTokens) => {
        const { context } = told(talk);
        const plan = planCompaction(context, contextTokens);
        const tail = plan ? context.entries.slice(plan.covered.length) : [];
        expect(tail.reduce((sum, entry) => sum + sizeOf(entry), 0)).toBeLessThanOrEqual(contextTokens);
      }),
    );
  });

  it("is not made of a single input: there is nothing to leave out", () => {
    const { context } = told([{ input: "all of War and Peace" }]);
    expect(planCompaction(context, 1)).toBeUndefined();
  });

  it("quotes how it began, unless that is the input which is kept anyway", () => {
    const step = { said: "so", results: ["x".repeat(300)], backwards: false };
    const one = told([{ input: "build a boat" }, step]);
    const two = told([{ input: "build a boat" }, step, { input: "and paint it" }, step]);
    const text = ({ context }: typeof one) =>
      summaryText(planCompaction(context, 10)!, context, "fallback", "an extract");
    expect(text(one)).not.toContain("build a boat");
    expect(text(two)).toContain("build a boat");
  });
});

it("a transcript cuts results before words, and is never longer than it may be", () => {
  fc.assert(
    fc.property(conversation, fc.integer({ min: 20, max: 3_000 }), (talk, maxChars) => {
      expect(transcriptOf(told(talk).context.entries, maxChars).length).toBeLessThanOrEqual(maxChars);
    }),
  );
  const step = { said: "I look at it.", results: ["y".repeat(5_000)], backwards: false };
  const { context } = told([{ input: "look" }, step, step, step]);
  const text = transcriptOf(context.entries, 3_500);
  expect(text.match(/I look at it\./g)).toHaveLength(3);
  expect(text).not.toContain("y".repeat(1_001));
});

/** Calls without their result, and results without their call. */
function unpaired({ entries }: Context): string[] {
  const open = new Set<string>();
  const strays: string[] = [];
  for (const entry of entries) {
    if (entry.role === "tool" && !open.delete(entry.call)) strays.push(entry.call);
    if (entry.role === "agent")
      for (const piece of entry.pieces) if (piece.type === "call") open.add(piece.call);
  }
  return [...strays, ...open];
}
