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
  const pages: { before: string; answer: PromiseWithResolvers<HistoryPage> }[] = [];
  const session = openSession(
    {
      attach: (take) => {
        deliver = take;
        return { leave() {}, resync() {} };
      },
      history: (before) => {
        const answer = Promise.withResolvers<HistoryPage>();
        pages.push({ before, answer });
        return answer.promise;
      },
    },
    () => {},
  );
  const resync = (count: number) =>
    deliver({ type: "resync", view: viewAfter(log.slice(0, count)), reason: "first" });
  const events = (from: number, to: number) => deliver({ type: "events", events: log.slice(from, to) });
  const texts = () => session.messages.map((message) => (message.kind === "notice" ? message.text : ""));
  return { session, resync, events, texts, pages, deliver };
}

const numbersFrom = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => `${from + n}`);

test("what drops out of the bounded view stays on the page, in order and once", () => {
  const { session, resync, events, texts } = open();
  resync(1);
  events(1, log.length);
  expect(session.view?.messages).toHaveLength(MESSAGES_MAX);
  expect(texts()).toEqual(numbersFrom(0, NOTICES));
  expect(session.earlier).toBe("none");
});

test("older messages are put in front, and the start of the log is known as such", async () => {
  const { session, resync, texts, pages } = open();
  resync(log.length);
  expect(session.earlier).toBe("some");
  const loaded = session.loadEarlier();
  expect(pages[0]?.before).toBe(session.messages[0]?.position);
  pages[0]?.answer.resolve({ messages: viewAfter(log.slice(0, 51)).messages, next: null });
  await loaded;
  expect(texts()[0]).toBe("0");
  expect(session.earlier).toBe("none");
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
  expect(session.earlier).toBe("some");
});

test("a page that was asked for before such a view is not put in front of it", async () => {
  const { session, resync, texts, pages } = open();
  resync(61);
  const loaded = session.loadEarlier();
  resync(log.length);
  pages[0]?.answer.resolve({ messages: viewAfter(log.slice(0, 11)).messages, next: null });
  await loaded;
  expect(texts()).toEqual(numbersFrom(NOTICES - MESSAGES_MAX, NOTICES));
  expect(session.earlier).toBe("some");
});

test("a session that is not there says so", () => {
  const { session, deliver } = open();
  deliver({ type: "refused", code: "not_found", detail: "There is no session ses_9." });
  expect(session.refused).toEqual({ code: "not_found", detail: "There is no session ses_9." });
  expect(session.view).toBeNull();
});
