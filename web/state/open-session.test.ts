import { expect, test } from "vitest";
import type { Delivery } from "../../src/client/attachment.ts";
import { apply } from "../../src/session/apply.ts";
import { numbered } from "../../src/session/arbitrary-log.ts";
import type { AnyEvent, NewEvent } from "../../src/session/event.ts";
import type { HistoryPage } from "../../src/session/history.ts";
import { emptyView, MESSAGES_MAX, type View } from "../../src/session/view.ts";
import { openSession } from "./open-session.ts";

const NOTICES = 120;
const log = numbered([
  { type: "session_created", data: { profile: "default" } },
  ...Array.from({ length: NOTICES }, (_, n): NewEvent => ({
    type: "notice",
    data: { level: "info", text: `${n}` },
  })),
]);

function viewAfter(events: readonly AnyEvent[]): View {
  const view = emptyView();
  for (const event of events) apply(view, event);
  return view;
}

function open() {
  let deliver!: (delivery: Delivery) => void;
  const pages: { where: object; answer: PromiseWithResolvers<HistoryPage> }[] = [];
  const session = openSession(
    {
      attach: (take) => {
        deliver = take;
        return { leave() {}, resync() {} };
      },
      history: (where) => {
        const answer = Promise.withResolvers<HistoryPage>();
        pages.push({ where, answer });
        return answer.promise;
      },
    },
    () => {},
  );
  const resync = (count: number) =>
    deliver({ type: "resync", view: viewAfter(log.slice(0, count)), reason: "first" });
  const events = (from: number, to: number) =>
    deliver({ type: "events", events: log.slice(from, to), isReplay: false });
  const texts = () => session.messages.map((message) => (message.kind === "notice" ? message.text : ""));
  return { session, resync, events, texts, pages, deliver };
}

const numbersFrom = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => `${from + n}`);

test("what drops out of the bounded view stays on the page that is looked at, in order and once", () => {
  const { session, resync, events, texts } = open();
  resync(1);
  session.look();
  events(1, log.length);
  expect(session.view?.messages).toHaveLength(MESSAGES_MAX);
  expect(texts()).toEqual(numbersFrom(0, NOTICES));
  expect(session.hasEarlier).toBe(false);
});

test("what drops out of a view that nobody looks at is let go, and can be paged to", () => {
  const { session, resync, events, texts } = open();
  resync(1);
  events(1, log.length);
  expect(texts()).toEqual(numbersFrom(NOTICES - MESSAGES_MAX, NOTICES));
  expect(session.hasEarlier).toBe(true);
});

test("going away from the end lets go of the older messages, and from elsewhere keeps the place", () => {
  const { session, resync, events, texts } = open();
  resync(1);
  const leave = session.look();
  events(1, 81);
  session.place = { message: "0", belowPx: 0 };
  leave();
  expect(texts()).toEqual(numbersFrom(0, 80));
  events(81, log.length); // drops what nobody looks at: there is a hole now
  expect(texts()).toEqual(numbersFrom(0, 30));
  expect(session.hasLater).toBe(true);
  session.reachEnd();
  expect(texts()).toEqual(numbersFrom(NOTICES - MESSAGES_MAX, NOTICES));
  expect(session.hasLater).toBe(false);
});

test("older messages are put in front, and the start of the log is known as such", async () => {
  const { session, resync, texts, pages } = open();
  resync(log.length);
  expect(session.hasEarlier).toBe(true);
  const loaded = session.loadEarlier();
  expect(pages[0]?.where).toEqual({ before: session.messages[0]?.position });
  pages[0]?.answer.resolve({ messages: viewAfter(log.slice(0, 51)).messages, next: null });
  await loaded;
  expect(texts()[0]).toBe("0");
  expect(session.hasEarlier).toBe(false);
});

test("a new view that goes on from what is here keeps what is here", () => {
  const { resync, texts } = open();
  resync(61);
  resync(81);
  expect(texts()).toEqual(numbersFrom(10, 80));
});

test("a new view with nothing in common replaces all, rather than showing a hole", () => {
  const { session, resync, texts } = open();
  resync(40);
  resync(log.length);
  expect(texts()).toEqual(numbersFrom(NOTICES - MESSAGES_MAX, NOTICES));
  expect(session.hasEarlier).toBe(true);
});

test("a page that was asked for before such a view is not put in front of it", async () => {
  const { session, resync, texts, pages } = open();
  resync(61);
  const loaded = session.loadEarlier();
  resync(log.length);
  pages[0]?.answer.resolve({ messages: viewAfter(log.slice(0, 11)).messages, next: null });
  await loaded;
  expect(texts()).toEqual(numbersFrom(NOTICES - MESSAGES_MAX, NOTICES));
  expect(session.hasEarlier).toBe(true);
});

test("a new view with nothing in common leaves what is being read, which then leads on to it", async () => {
  const { session, resync, texts, pages } = open();
  resync(40);
  session.place = { message: "5", belowPx: 0 };
  resync(log.length);
  expect(texts()).toEqual(numbersFrom(0, 38)); // the last one may have gone on, so it comes anew
  const loaded = session.loadLater();
  expect(pages[0]?.where).toEqual({ from: log[39]?.position });
  pages[0]?.answer.resolve({ messages: viewAfter(log.slice(0, 81)).messages.slice(-42), next: null });
  await loaded;
  expect(texts()).toEqual(numbersFrom(0, NOTICES));
  expect(session.hasLater).toBe(false);
});

test("a place far back is reached without the pages between", async () => {
  const { session, resync, texts, pages } = open();
  resync(log.length);
  const at = log[21]?.position;
  const reached = session.reach(at!);
  expect(pages.map(({ where }) => where)).toEqual([{ before: at }, { from: at }]);
  pages[0]?.answer.resolve({ messages: viewAfter(log.slice(0, 21)).messages, next: null });
  pages[1]?.answer.resolve({
    messages: viewAfter(log.slice(0, 31)).messages.slice(20),
    next: log[31]!.position,
  });
  await reached;
  expect(texts()).toEqual(numbersFrom(0, 30));
  expect([session.hasEarlier, session.hasLater]).toEqual([false, true]);
  await session.reach(log[25]!.position);
  expect(pages).toHaveLength(2);
});

test("a session that is not there says so", () => {
  const { session, deliver } = open();
  deliver({ type: "refused", code: "not_found", detail: "There is no session ses_9." });
  expect(session.refused).toEqual({ code: "not_found", detail: "There is no session ses_9." });
  expect(session.view).toBeNull();
});
