import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyDraft } from "../session/apply-draft.ts";
import { applyFact } from "../session/apply-fact.ts";
import { logFrom, numbered } from "../session/arbitrary-log.ts";
import { isDraft, ownerOf, sweptBy } from "../session/draft.ts";
import type { AnyEvent, Draft, Fact, NewEvent } from "../session/event.ts";
import { formatPosition, isFactPosition, seqOf, START, type Position } from "../session/position.ts";
import { emptyView, type Message } from "../session/view.ts";
import { pageBack, pageFrom, USUAL_BOUNDS, type Bounds } from "./history.ts";

const END = formatPosition(9_999_999, 0);

describe("a page of history", () => {
  /** Small, so that many a page ends in the middle of something; and as far beyond it as a row may need. */
  const bounds: Bounds = {
    ...USUAL_BOUNDS,
    spanFacts: 20,
    beyondFacts: 15,
    beyondReads: 1_000,
    draftBytes: 2_000,
  };
  const logs = fc
    .array(fc.nat({ max: 1_000_000 }), { minLength: 50, maxLength: 400, size: "max" })
    .map((list) => numbered(logFrom(list)));

  it("has the rows that the fold of the whole log has, whatever the log, swept or not, and in either direction", async () => {
    const seen = { pages: 0, brokenOff: 0 };
    await fc.assert(
      fc.asyncProperty(logs, fc.boolean(), fc.integer({ min: 1, max: 30 }), async (events, swept, limit) => {
        const log = swept ? withoutSwept(events) : events;
        const whole = rowsOf(log);
        const back: Message[] = [];
        for (let before: Position | null = END; before !== null; seen.pages++) {
          const page = await pageBack(storeOf(log), "ses_a", before, limit, bounds);
          back.unshift(...page.messages);
          before = page.next;
        }
        expect(back).toEqual(whole);
        const forth: Message[] = [];
        for (let from: Position | null = START; from !== null; seen.pages++) {
          const page = await pageFrom(storeOf(log), "ses_a", from, limit, bounds);
          forth.push(...page.messages);
          from = page.next;
        }
        expect(forth).toEqual(whole);
        seen.brokenOff += whole.filter(
          (row) => row.kind === "step" && row.state === "aborted" && row.parts.length > 0,
        ).length;
      }),
      { numRuns: 60 },
    );
    expect(seen.pages).toBeGreaterThan(500);
    expect(seen.brokenOff).toBeGreaterThan(100);
  });

  it("has the rows of the fold from any position on, and in front of any", async () => {
    await fc.assert(
      fc.asyncProperty(logs, fc.nat(), async (events, at) => {
        const whole = rowsOf(events);
        const { position } = events[at % events.length]!;
        const back = await pageBack(storeOf(events), "ses_a", position, 5, bounds);
        const front = whole.filter((row) => row.position < position);
        expect(back.messages).toEqual(back.messages.length === 0 ? [] : front.slice(-back.messages.length));
        const forth = await pageFrom(storeOf(events), "ses_a", position, 5, bounds);
        const behind = whole.filter((row) => seqOf(row.position) >= seqOf(position));
        expect(forth.messages).toEqual(behind.slice(0, forth.messages.length));
      }),
      { numRuns: 200 },
    );
  });

  it("reads no drafts and nothing beyond its span where every row is whole", async () => {
    const log = numbered([created, ...Array.from({ length: 500 }, (_, n) => answered(`s${n}`)).flat()]);
    const store = storeOf(log);
    const page = await pageBack(store, "ses_a", formatPosition(900, 0), 50);
    expect(page.messages).toHaveLength(50);
    expect(store.reads).toEqual(["400 facts before"]);
  });
});

describe("answers that broke off with more words than a page is for", () => {
  const letters = "abcdefghij";
  const log = numbered([
    created,
    ...Array.from(letters, (letter, n) => brokenOff(`s${n}`, letter, 300)).flat(),
  ]);
  const whole = rowsOf(log);
  const bounds: Bounds = { ...USUAL_BOUNDS, draftBytes: 150_000 };

  it("are given on several pages, none of them without a row, and each word once", async () => {
    const back: Message[] = [];
    const store = storeOf(log);
    let pages = 0;
    for (let before: Position | null = END; before !== null; pages++) {
      const page = await pageBack(store, "ses_a", before, 50, bounds);
      expect(page.messages.length).toBeGreaterThan(0);
      expect(page.messages.length).toBeLessThanOrEqual(2);
      back.unshift(...page.messages);
      before = page.next;
    }
    expect(back).toEqual(whole);
    expect(pages).toBe(5);
    const first = await pageFrom(store, "ses_a", START, 50, bounds);
    expect(first).toEqual({ messages: whole.slice(0, 2), next: whole[2]!.position });
  });

  it("come as they began when one alone is too much", async () => {
    const { messages } = await pageBack(storeOf(log), "ses_a", END, 50, { ...bounds, rowDraftBytes: 10_000 });
    const text = messages.flatMap((row) => (row.kind === "step" ? row.parts : [])).at(-1);
    expect(text).toMatchObject({ kind: "text", text: expect.stringMatching(/^j{200}$/) });
  });
});

const created: NewEvent = { type: "session_created", data: { profile: "default" } };

function answered(step: string): NewEvent[] {
  const message = [{ type: "text" as const, text: "whole" }];
  return [
    { type: "step_started", data: { turn: "t1", step, attempt: 1, model: "m" } },
    { type: "draft", data: { part: `${step}.1/0`, kind: "text", offset: 0, text: "wh" } },
    { type: "step_completed", data: { step, attempt: 1, message } },
  ];
}

function brokenOff(step: string, text: string, times: number): NewEvent[] {
  return [
    { type: "step_started", data: { turn: "t1", step, attempt: 1, model: "m" } },
    ...Array.from({ length: times }, (_, offset): NewEvent => ({
      type: "draft",
      data: { part: `${step}.1/0`, kind: "text", offset, text },
    })),
    { type: "step_aborted", data: { step, attempt: 1, reason: "its server was lost" } },
  ];
}

/** The fold of the whole log, without the view's bound. */
function rowsOf(log: readonly AnyEvent[]): Message[] {
  const view = emptyView();
  for (const event of log) {
    if (isDraft(event)) applyDraft(view, event as Draft);
    else applyFact(view, event as Fact);
  }
  return view.messages;
}

/** As both stores read it; and what was read. */
function storeOf(log: readonly AnyEvent[]) {
  const facts = log.filter(({ position }) => isFactPosition(position));
  const drafts = log.filter(({ position }) => !isFactPosition(position));
  const reads: string[] = [];
  return {
    reads,
    events: (_: string, after: Position, limit: number, only?: "facts") => {
      reads.push(`${limit} ${only ?? "events"} after`);
      return Promise.resolve((only ? facts : log).filter(({ position }) => position > after).slice(0, limit));
    },
    eventsBefore: (_: string, before: Position, limit: number) => {
      reads.push(`${limit} facts before`);
      const front = facts.filter(({ position }) => position < before);
      return Promise.resolve(front.slice(-limit).toReversed());
    },
    drafts: (_: string, after: Position, before: Position, limit: number) => {
      reads.push(`${limit} drafts`);
      return Promise.resolve(
        drafts.filter(({ position }) => position > after && position < before).slice(0, limit),
      );
    },
  };
}

function withoutSwept(events: readonly AnyEvent[]): AnyEvent[] {
  const swept = new Set(events.map(sweptBy));
  return events.filter((event) => !isDraft(event) || !swept.has(ownerOf(event.data.part)));
}
