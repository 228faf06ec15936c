import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { apply } from "./apply.ts";
import { logFrom, numbered } from "./arbitrary-log.ts";
import { ownerOf, sweptBy } from "./draft.ts";
import type { AnyEvent, NewEvent } from "./event.ts";
import { rowOf } from "./fork.ts";
import { formatPosition, seqOf } from "./position.ts";
import { changedRow, EMPTY_ROW, rowChange, statusOf } from "./row.ts";
import { weight } from "./trim.ts";
import { emptyView, MESSAGES_MAX, VIEW_MAX_CHARS, type View } from "./view.ts";

const choices = fc.array(fc.nat({ max: 1_000_000 }), { maxLength: 400, size: "max" });
const logs = choices.map((list) => numbered(logFrom(list)));
const runs = { numRuns: 150 };

function fold(events: readonly AnyEvent[], view: View = emptyView()): View {
  for (const event of events) expect(apply(view, event).outcome).not.toBe("gap");
  return view;
}

const copy = (view: View): View => JSON.parse(JSON.stringify(view)) as View;

it("a call that was given to another session names it, also when that has returned", () => {
  const step = { step: "step_1", attempt: 1 };
  const delegate = { session: "ses_child", call: "call_1" };
  const view = fold(
    numbered([
      { type: "session_created", data: { profile: "default" } },
      { type: "step_started", data: { turn: "turn_1", ...step, model: "m" } },
      {
        type: "step_completed",
        data: {
          ...step,
          message: [
            { type: "reasoning", text: "Who could do this?", ms: 1200 },
            { type: "call", call: "call_1", name: "delegate", args: { prompt: "Do it." } },
          ],
        },
      },
      { type: "delegated", data: { ...delegate, background: false } },
      { type: "delegate_returned", data: { ...delegate, outcome: "completed", summary: "Done." } },
    ]),
  );
  expect(view.delegates).toEqual([]);
  expect(view.messages).toMatchObject([
    {
      parts: [
        { kind: "reasoning", ms: 1200 },
        { kind: "tool", delegate: "ses_child" },
      ],
    },
  ]);
});

describe("the fold", () => {
  it("gives the same view from any snapshot, stored as JSON, at any split of the log", () => {
    fc.assert(
      fc.property(logs, fc.nat(), (events, cut) => {
        const at = cut % (events.length + 1);
        const whole = fold(events);
        const resumed = fold(events.slice(at), copy(fold(events.slice(0, at))));
        expect(resumed).toEqual(whole);
      }),
      runs,
    );
  });

  it("changes nothing when an event is applied twice, or a stretch of the log is", () => {
    fc.assert(
      fc.property(logs, fc.nat(), fc.nat(), (events, a, b) => {
        const [from, to] = [a % (events.length + 1), b % (events.length + 1)].toSorted((x, y) => x - y) as [
          number,
          number,
        ];
        const view = emptyView();
        fold([...events.slice(0, to), ...events.slice(from, to), ...events.slice(to)], view);
        expect(view).toEqual(fold(events));
      }),
      runs,
    );
  });

  it("adds nothing when an executor sends the same stretch of a draft again at a later position", () => {
    fc.assert(
      fc.property(choices, (list) => {
        const once = logFrom(list);
        const twice = once.flatMap((event): NewEvent[] =>
          event.type === "draft" ? [event, event] : [event],
        );
        const view = fold(numbered(twice));
        expect(transcript(view)).toEqual(transcript(fold(numbered(once))));
      }),
      runs,
    );
  });

  it("gives the same view when the drafts were swept that a fact made superfluous", () => {
    let swept = 0;
    fc.assert(
      fc.property(logs, (events) => {
        const kept = withoutSwept(events);
        swept += events.length - kept.length;
        expect(fold(kept)).toEqual(fold(events));
      }),
      runs,
    );
    expect(swept).toBeGreaterThan(100);
  });

  it("keeps the words of an interrupted attempt", () => {
    const view = fold(
      numbered([
        { type: "session_created", data: { profile: "default" } },
        { type: "turn_started", data: { turn: "t", inputs: [] } },
        { type: "step_started", data: { turn: "t", step: "s", attempt: 1, model: "m" } },
        { type: "draft", data: { part: "s.1/0", kind: "text", offset: 0, text: "Half a sen" } },
        { type: "step_aborted", data: { step: "s", attempt: 1, reason: "shutdown" } },
      ]),
    );
    expect(view.messages).toMatchObject([{ state: "aborted", parts: [{ text: "Half a sen" }] }]);
  });

  it("has of a stopped answer what its fact tells when there are no drafts, and the drafts when there are", () => {
    const begun: NewEvent[] = [
      { type: "session_created", data: { profile: "default" } },
      { type: "turn_started", data: { turn: "t", inputs: [] } },
      { type: "step_started", data: { turn: "t", step: "s", attempt: 1, model: "m" } },
    ];
    const hm: NewEvent = {
      type: "draft",
      data: { part: "s.1/0", kind: "reasoning", offset: 0, text: "Hm." },
    };
    const said: NewEvent = { type: "draft", data: { part: "s.1/1", kind: "text", offset: 0, text: "Half" } };
    const stopped: NewEvent = {
      type: "step_aborted",
      data: { step: "s", attempt: 1, reason: "stopped", said: "Half" },
    };
    const [told] = fold(numbered([...begun, stopped])).messages;
    expect(told).toMatchObject({ state: "aborted", parts: [{ id: "s.1/0", kind: "text", text: "Half" }] });
    const [whole] = fold(numbered([...begun, hm, said, stopped])).messages;
    expect(whole).toMatchObject({
      parts: [
        { kind: "reasoning", text: "Hm." },
        { kind: "text", text: "Half" },
      ],
    });
  });

  it("skips events of types it does not know, and goes on behind them", () => {
    fc.assert(
      fc.property(choices, fc.nat(), (list, where) => {
        const events = logFrom(list);
        const strange = { type: "written_by_a_newer_version", data: { text: "?" } } as unknown as NewEvent;
        const facts = events.flatMap((event, n) => (event.type === "draft" ? [] : [n]));
        const at = facts[where % facts.length]! + 1;
        // In front of drafts a fact would close their place; behind a fact without drafts it can stand.
        fc.pre(events[at]?.type !== "draft");
        const view = fold(numbered([...events.slice(0, at), strange, ...events.slice(at)]));
        expect(transcript(view)).toEqual(transcript(fold(numbered(events))));
      }),
      runs,
    );
  });

  it("calls a missing fact a gap, and a missing stretch of a draft too", () => {
    fc.assert(
      fc.property(logs, fc.nat(), (events, where) => {
        const lost = where % events.length;
        fc.pre(!events[lost]!.type.startsWith("draft") && lost < events.length - 1);
        const view = emptyView();
        const outcomes = events.filter((_, n) => n !== lost).map((event) => apply(view, event).outcome);
        expect(outcomes).toContain("gap");
      }),
      runs,
    );
    const view = fold(
      numbered([
        { type: "session_created", data: { profile: "default" } },
        { type: "turn_started", data: { turn: "t", inputs: [] } },
        { type: "step_started", data: { turn: "t", step: "s", attempt: 1, model: "m" } },
      ]),
    );
    const late = { type: "draft", data: { part: "s.1/0", kind: "text", offset: 5, text: "late" } };
    expect(
      apply(view, { position: formatPosition(3, 2), at: "", by: { keeper: "test" }, ...late }).outcome,
    ).toBe("gap");
  });

  it("changes no message but those that it names", () => {
    fc.assert(
      fc.property(logs, (events) => {
        const view = emptyView();
        for (const event of events) {
          const before = new Map(view.messages.map((message) => [message.id, JSON.stringify(message)]));
          const touched = apply(view, event);
          const changed: string[] = [];
          const after = new Map(view.messages.map((message) => [message.id, JSON.stringify(message)]));
          for (const id of new Set([...before.keys(), ...after.keys()]))
            if (before.get(id) !== after.get(id)) changed.push(id);
          expect(touched.messages).toEqual(expect.arrayContaining(changed));
        }
      }),
      { numRuns: 40 },
    );
  });

  it("gives the row that the appends have summed up", () => {
    fc.assert(
      fc.property(choices, (list) => {
        const events = logFrom(list);
        const row = events.reduce((sum, event) => {
          const change = rowChange([event]);
          return change ? changedRow(sum, change) : sum;
        }, EMPTY_ROW);
        const folded = rowOf(fold(numbered(events)));
        expect(row).toEqual(folded);
        expect(statusOf(row)).toBe(statusOf(folded));
        const batched = rowChange(events);
        expect(batched && changedRow(EMPTY_ROW, batched)).toEqual(row);
      }),
      runs,
    );
  });

  it("stays within its bounds, and knows its own weight", () => {
    fc.assert(
      fc.property(logs, (events) => {
        const view = fold(events);
        expect(view.messages.length).toBeLessThanOrEqual(view.turn ? MESSAGES_MAX + 1 : MESSAGES_MAX);
        expect(view.chars).toBe(view.messages.reduce((sum, message) => sum + weight(message), 0));
      }),
      runs,
    );
    const heavy = fold(
      numbered([
        { type: "session_created", data: { profile: "default" } },
        ...Array.from({ length: 40 }, () => ({
          type: "notice" as const,
          data: { level: "info" as const, text: "x".repeat(60_000) },
        })),
      ]),
    );
    expect(heavy.chars).toBeLessThanOrEqual(VIEW_MAX_CHARS);
    expect(heavy.messages.length + heavy.earlier).toBe(40);
  });
});

/** All that a person sees, without where and when it stands in the log. */
function transcript({ messages, queue, asks, turn, meta }: View): unknown {
  const bare = (name: string, value: unknown) => {
    if (["position", "at", "openedAt", "startedAt", "endedAt", "createdAt"].includes(name)) return undefined;
    return name === "id" && /^\d{16}_/.test(String(value)) ? undefined : value;
  };
  return JSON.parse(JSON.stringify({ messages, queue, asks, turn, meta }, bare));
}

function withoutSwept(events: readonly AnyEvent[]): AnyEvent[] {
  const owners = new Map(
    events.flatMap((event) =>
      sweptBy(event) === undefined ? [] : [[sweptBy(event)!, seqOf(event.position)] as const],
    ),
  );
  return events.filter((event) => {
    if (event.type !== "draft") return true;
    const { part } = event.data as { part: string };
    return !((owners.get(ownerOf(part)) ?? -1) > seqOf(event.position));
  });
}
