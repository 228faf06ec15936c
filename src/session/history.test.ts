import fc from "fast-check";
import { expect, it } from "vitest";
import { apply } from "./apply.ts";
import { applyFact } from "./apply-fact.ts";
import { logFrom, numbered } from "./arbitrary-log.ts";
import type { Fact } from "./event.ts";
import { inputsOutside, messagesBefore } from "./history.ts";
import { seqOf, type Position } from "./position.ts";
import { emptyView } from "./view.ts";

it("pages back from a view to the beginning without losing or repeating a message", () => {
  let pages = 0;
  fc.assert(
    fc.property(
      fc.array(fc.nat({ max: 1_000_000 }), { minLength: 300, maxLength: 600, size: "max" }),
      (list) => {
        const facts = numbered(logFrom(list).filter((event) => event.type !== "draft"));
        const view = emptyView();
        for (const fact of facts) apply(view, fact);
        const whole = emptyView();
        for (const fact of facts) applyFact(whole, fact as Fact); // without the bound

        const read = [...view.messages];
        let before: Position | null = read[0]?.position ?? null;
        for (let asked = 0; asked < 1000 && before !== null; asked++) {
          const span = facts.slice(Math.max(0, seqOf(before) - 1 - 60), seqOf(before) + 150);
          const inputs = inputsOutside(span).map((position) => facts[seqOf(position) - 1]!);
          const page = messagesBefore(span, inputs, before, 20);
          read.unshift(...page.messages);
          before = page.next;
          pages += 1;
        }
        expect(read.map(({ id }) => id)).toEqual(whole.messages.map(({ id }) => id));
        const inputs = (messages: typeof read) => messages.filter(({ kind }) => kind === "input");
        expect(inputs(read)).toEqual(inputs(whole.messages));
      },
    ),
    { numRuns: 30, endOnFailure: true },
  );
  expect(pages).toBeGreaterThan(10);
});
