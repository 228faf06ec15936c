import { expect, test } from "vitest";
import { formatPosition } from "../../src/session/position.ts";
import { emptyView, type Message, type View } from "../../src/session/view.ts";
import { contextUse } from "./context-use.ts";

const step = (seq: number, tokens: [number, number] | null, state = "completed") =>
  ({
    kind: "step",
    state,
    position: formatPosition(seq, 0),
    usage: tokens && { inputTokens: tokens[0], outputTokens: tokens[1] },
  }) as Message;
const view = (messages: Message[], more: Partial<View> = {}): View => ({ ...emptyView(), messages, ...more });

test("the context is as full as the provider counted at its last answer", () => {
  const now = view([step(2, [100, 20]), step(5, [300, 20]), step(7, null, "streaming")]);
  expect(contextUse(now, 1000)).toEqual({ tokens: 320, of: 1000, share: 0.32 });
  expect(contextUse(view([step(2, [2000, 0])]), 1000)?.share).toBe(1);
});

test("what nobody has counted is not known", () => {
  const compacted = { at: formatPosition(6, 0), covers: "x", summary: "x" };
  expect(contextUse(view([]), 1000)).toBe(null);
  expect(contextUse(view([step(2, null)]), 1000)).toBe(null);
  expect(contextUse(view([step(5, [300, 20])], { compacted }), 1000)).toBe(null);
  expect(contextUse(view([step(5, [300, 20])]), undefined)).toBe(null);
});
