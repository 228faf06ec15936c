import { expect, test } from "vitest";
import { formatPosition, START, type Position } from "../session/position.ts";
import { emptyView, type View } from "../session/view.ts";
import type { AnyEvent } from "../session/event.ts";
import { accept, attachFrame, attachment, cut, type Attachment } from "./attachment.ts";

const hearer = { store: "sto_1", person: "owner" };
const session = "ses_1";
const nothing = { messages: 0, tools: 0, asks: 0 };
const notice = (seq: number): AnyEvent => ({
  position: formatPosition(seq, 0),
  at: "2026-01-01T00:00:00.000Z",
  by: { keeper: "test" },
  type: "notice",
  data: { level: "info", text: "x" },
});
const viewAt = (position: Position): View => ({ ...emptyView(), position });
const at = (seq: number): Attachment =>
  attachment(session, { after: formatPosition(seq, 0), store: "sto_1" });

test("a position is sent with the store that it belongs to, and a first attach asks for the view", () => {
  expect(attachFrame(at(4))).toEqual({ op: "attach", session, after: formatPosition(4, 0), store: "sto_1" });
  expect(attachFrame(attachment(session, null))).toEqual({ op: "attach", session });
});

test("a view older than what the reader has is passed over, but not one of another store", () => {
  const frame = { op: "resync", session, view: viewAt(formatPosition(3, 0)) } as const;
  expect(accept(at(4), { ...frame, reason: "overflow" }, hearer)).toEqual({ next: at(4) });
  const other = accept(at(4), { ...frame, reason: "other_store" }, { ...hearer, store: "sto_2" });
  expect(other.deliver).toMatchObject({ type: "resync", reason: "other_store" });
  expect(other.next).toMatchObject({ position: formatPosition(3, 0), store: "sto_2" });
});

test("what the reader has already is passed over: it is no gap, and is not delivered again", () => {
  const draft = (sub: number): AnyEvent => ({
    ...notice(4),
    position: formatPosition(4, sub),
    type: "draft",
  });
  const events = [notice(3), notice(4), draft(1), draft(2)];
  const first = accept(at(3), { op: "events", session, events }, hearer);
  expect(first.deliver).toMatchObject({ events: events.slice(1) });
  const again = accept(first.next, { op: "events", session, events: [...events, draft(3)] }, hearer);
  expect(again.again).toBeUndefined();
  expect(again.deliver).toMatchObject({ events: [draft(3)] });
});

const firstView = (seq: number) =>
  ({ op: "resync", session, view: viewAt(formatPosition(seq, 0)), reason: "first" }) as const;

test("a reader that is cut off between its first view and the word that it is caught up asks for the view again", () => {
  const view = viewAt(formatPosition(3, 0));
  const first = accept(
    attachment(session, null),
    { op: "resync", session, view, reason: "first" },
    hearer,
  ).next;
  expect(attachFrame(cut(first))).toEqual({ op: "attach", session });
  const caughtUp = accept(
    first,
    { op: "caught_up", session, position: view.position, missed: nothing, since: START },
    hearer,
  );
  expect(attachFrame(cut(caughtUp.next))).toMatchObject({ after: view.position });
});

test.each(["ahead", "other_store"] as const)(
  "a reader that finds another log counts from where the server says, and from the view again if it is cut off: %s",
  (reason) => {
    const replay = { op: "events" as const, session, events: [notice(5), notice(6)] };
    const cutOff = cut(accept(cut(at(4)), replay, hearer).next);
    const frame = { op: "resync", session, view: viewAt(formatPosition(3, 0)), reason } as const;
    const { next } = accept(cutOff, frame, { ...hearer, store: "sto_2" });
    expect(attachFrame(cut(next))).toEqual({ op: "attach", session });
    const since = formatPosition(2, 0);
    const caughtUp = { op: "caught_up", session, position: formatPosition(3, 0), since } as const;
    const missed = { messages: 1, tools: 0, asks: 0 };
    expect(accept(next, { ...caughtUp, missed }, { ...hearer, store: "sto_2" }).deliver).toMatchObject({
      since,
      missed,
      wasCut: false,
    });
  },
);

test("what was missed counts from where the reader was first cut off, or from where the server says", () => {
  const caughtUp = (seq: number, since: number) =>
    ({
      op: "caught_up",
      session,
      position: formatPosition(seq, 0),
      missed: nothing,
      since: formatPosition(since, 0),
    }) as const;
  const first = accept(attachment(session, null), firstView(3), hearer).next;
  const seen = accept(first, caughtUp(3, 1), hearer);
  expect(seen.deliver).toMatchObject({ since: formatPosition(1, 0), wasCut: false });
  const onTheWay = accept(cut(seen.next), { op: "events", session, events: [notice(4)] }, hearer);
  expect(onTheWay.deliver).toMatchObject({ isReplay: true });
  const again = accept(cut(onTheWay.next), caughtUp(4, 4), hearer);
  expect(again.deliver).toMatchObject({ since: formatPosition(3, 0), wasCut: true });
  const live = accept(again.next, { op: "events", session, events: [notice(5)] }, hearer);
  expect(live.deliver).toMatchObject({ isReplay: false });
});

test("a gap is asked for again, then the view is taken, then another connection", () => {
  const position = formatPosition(9, 0);
  const frame = { op: "caught_up", session, position, missed: nothing, since: START } as const;
  const asked: unknown[] = [];
  let state = at(4);
  for (let i = 0; i < 7; i++) {
    const { next, again } = accept(state, frame, hearer);
    asked.push(again === "attach" ? (attachFrame(next) as { after?: Position }).after : again);
    state = next;
  }
  const here = formatPosition(4, 0);
  expect(asked).toEqual([here, here, here, undefined, undefined, undefined, "reconnect"]);
});

test("while a gap is being filled, what still comes from before is passed over without another word", () => {
  const gap = accept(at(4), { op: "events", session, events: [notice(6)] }, hearer);
  expect(gap.again).toBe("attach");
  const late = accept(gap.next, { op: "events", session, events: [notice(7)] }, hearer);
  expect(late).toEqual({ next: gap.next });
  const filled = accept(late.next, { op: "events", session, events: [notice(5), notice(6)] }, hearer);
  expect(filled.deliver).toMatchObject({
    events: [{ position: formatPosition(5, 0) }, { position: formatPosition(6, 0) }],
  });
});

test("what can't be done now is tried on another connection; what can't be done is told", () => {
  const error = { op: "error", session, detail: "…" } as const;
  expect(accept(at(4), { ...error, code: "not_ready" }, hearer)).toEqual({ next: at(4), again: "reconnect" });
  const refused = accept(at(4), { ...error, code: "not_found" }, hearer);
  expect(refused.deliver).toEqual({ type: "refused", code: "not_found", detail: "…" });
  expect(cut(refused.next)).toBe(refused.next);
});

test("a log that is over is not asked for again", () => {
  const closed = accept(at(4), { op: "closed", session, position: formatPosition(4, 0) }, hearer);
  expect(closed.next.phase).toBe("closed");
  expect(cut(closed.next)).toBe(closed.next);
  expect(accept(at(4), { op: "closed", session, position: formatPosition(5, 0) }, hearer).again).toBe(
    "attach",
  );
  expect(START < closed.next.position!).toBe(true);
});
