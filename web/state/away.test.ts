import { expect, test } from "vitest";
import type { Change } from "../../src/client/live.ts";
import { apply } from "../../src/session/apply.ts";
import { numbered } from "../../src/session/arbitrary-log.ts";
import type { AnyEvent, NewEvent } from "../../src/session/event.ts";
import { START } from "../../src/session/position.ts";
import { emptyView } from "../../src/session/view.ts";
import { createAway } from "./away.ts";

const said: NewEvent = {
  type: "step_completed",
  data: { step: "step_1", attempt: 1, message: [{ type: "text", text: "done" }] },
};
const ran: NewEvent = { type: "tool_finished", data: { call: "call_1", status: "ok", result: "" } };
const asked: NewEvent = { type: "ask_opened", data: { ask: "ask_1", kind: "approval", title: "May I?" } };

/** A session whose log is `events`, of which the page has got `seen` when its reader is caught up first. */
function scene(events: readonly NewEvent[], seen: number) {
  const log = numbered([{ type: "session_created", data: { profile: "default" } }, ...events]);
  const view = emptyView();
  const away = createAway(
    () => view,
    () => "owner",
  );
  const take = (event: AnyEvent, isReplay: boolean) =>
    away.hear({ type: "event", event, touched: apply(view, event), isReplay } satisfies Change);
  for (const event of log.slice(0, seen)) apply(view, event);
  const caughtUp = (messages: number, tools: number, wasCut: boolean, since = view.position) =>
    away.hear({
      type: "caught_up",
      position: view.position,
      missed: { messages, tools, asks: view.asks.length },
      since,
      wasCut,
    });
  return { away, view, log, take, caughtUp };
}

test("whoever comes back is told what came since they last saw the end, and where that was", () => {
  const { away, log, take, caughtUp } = scene([said, ran, asked], 1);
  caughtUp(0, 0, false);
  away.sawAll();
  for (const event of log.slice(1)) take(event, false);
  expect(away.news).toBeNull();
  away.returned();
  expect(away.news).toMatchObject({ how: "returned", messages: 1, tools: 1, since: log[0]?.position });
  expect(away.news?.asks).toHaveLength(1);
  expect(away.divider).toBe(log[0]?.position);
  away.dismiss();
  expect(away.news).toBeNull();
  expect(away.divider).toBe(log[0]?.position); // for as long as the session is on screen
  away.left();
  expect(away.divider).toBeNull();
});

test("a gap in front of one's eyes is told with what the server counted, not with what was replayed as well", () => {
  const { away, log, take, caughtUp } = scene([said, ran], 1);
  caughtUp(0, 0, false);
  away.returned();
  away.sawAll();
  const since = log[0]!.position;
  for (const event of log.slice(1)) take(event, true);
  caughtUp(1, 1, true, since);
  expect(away.news).toMatchObject({ how: "reconnected", messages: 1, tools: 1, since });
});

test("of a log that took the place of another only what came in it is told, from where the server says", () => {
  const { away, view, log, take, caughtUp } = scene([said, ran, said], 1);
  caughtUp(0, 0, false);
  away.returned();
  away.sawAll();
  const since = log[0]!.position;
  for (const event of log.slice(1, 3)) take(event, true);
  caughtUp(1, 1, true, since);
  away.hear({ type: "resync", view, reason: "other_store" });
  expect([away.news, away.divider, away.isKnown]).toEqual([null, null, false]);
  caughtUp(2, 0, false, since);
  expect(away.news).toMatchObject({ how: "returned", messages: 2, tools: 0, since });
});

test("a second gap adds to what has not been read of the first", () => {
  const { away, log, take, caughtUp } = scene([said, said, ran], 1);
  caughtUp(0, 0, false);
  away.returned();
  take(log[1]!, true);
  caughtUp(1, 0, true, log[0]!.position);
  take(log[2]!, true);
  take(log[3]!, true);
  caughtUp(1, 1, true, log[1]!.position);
  expect(away.news).toMatchObject({ messages: 2, tools: 1, since: log[0]?.position });
});

test("what was missed elsewhere on the page is told when its session is opened", () => {
  const { away, log, take, caughtUp } = scene([said, ran, said], 2);
  caughtUp(0, 0, false);
  away.sawAll();
  take(log[2]!, false);
  take(log[3]!, true);
  caughtUp(1, 0, true, log[2]!.position);
  expect(away.news).toBeNull();
  away.returned();
  expect(away.news).toMatchObject({ how: "returned", messages: 1, tools: 1, since: log[1]?.position });
});

test("what was read on another device is not told here, but what came after that is", () => {
  const { away, view, log, take, caughtUp } = scene([said, ran, said], 1);
  caughtUp(0, 0, false);
  away.sawAll();
  take(log[1]!, false);
  away.readElsewhere(log[0]!.position); // the list is late
  take(log[2]!, false);
  away.readElsewhere(view.position);
  take(log[3]!, false);
  away.returned();
  expect(away.news).toMatchObject({ messages: 1, tools: 0, since: log[2]?.position });
});

test("an ask that had been seen is not told again", () => {
  const { away, log, take, caughtUp } = scene([asked, said], 2);
  caughtUp(0, 0, false);
  away.returned();
  away.sawAll();
  take(log[2]!, true);
  caughtUp(1, 0, true, log[1]!.position);
  expect(away.news?.asks).toEqual([]);
});

test("whoever was never here, or missed nothing, is told nothing", () => {
  const never = scene([said], 2);
  never.caughtUp(1, 0, false, START);
  never.away.returned();
  expect(never.away.news).toBeNull();
  const nothing = scene([said], 2);
  nothing.away.returned();
  nothing.caughtUp(0, 0, true);
  expect(nothing.away.news).toBeNull();
});

test("nothing is known before the server has said what was missed", () => {
  const { away, caughtUp } = scene([], 1);
  expect(away.isKnown).toBe(false);
  caughtUp(0, 0, false);
  expect(away.isKnown).toBe(true);
});
