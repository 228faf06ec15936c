import { expect, it } from "vitest";
import { askChanges, followedBy } from "./asks.ts";
import type { NewEvent } from "./event.ts";

const owner = { person: "owner" };
const opened: NewEvent = { type: "ask_opened", data: { ask: "ask_1", kind: "approval", title: "may I" } };
const answered = (choice: string): NewEvent => ({
  type: "ask_answered",
  data: { ask: "ask_1", kind: "approval", answer: { choice } },
});
const note: NewEvent = { type: "notice", data: { level: "info", text: "hi" } };

it("tells of an ask that is opened and of one that is closed, with who and when", () => {
  expect(askChanges([note, opened], "now", owner)).toEqual([
    { ask: "ask_1", opened: { kind: "approval", title: "may I", openedAt: "now" } },
  ]);
  expect(askChanges([answered("once")], "now", owner)).toEqual([
    {
      ask: "ask_1",
      closed: { state: "answered", answer: { choice: "once" }, closedBy: owner, closedAt: "now" },
    },
  ]);
  const expired: NewEvent = {
    type: "ask_closed",
    data: { ask: "ask_2", kind: "clarify", reason: "expired" },
  };
  expect(askChanges([expired], "now", { keeper: "expiry" })).toMatchObject([
    { ask: "ask_2", closed: { state: "expired", closedBy: { keeper: "expiry" } } },
  ]);
});

it("makes one change of an ask that is opened and closed at once, and the first answer counts", () => {
  const whole = askChanges([opened, answered("once"), answered("deny")], "now", owner);
  expect(whole).toMatchObject([
    { ask: "ask_1", opened: { title: "may I" }, closed: { answer: { choice: "once" } } },
  ]);
  const apart = followedBy(
    followedBy(askChanges([opened], "now", owner), askChanges([answered("once")], "now", owner)),
    askChanges([answered("deny")], "now", owner),
  );
  expect(apart).toEqual(whole);
});

it("has nothing to tell of most batches", () => {
  expect(askChanges([note], "now", owner)).toEqual([]);
});
