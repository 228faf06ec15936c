import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { manualClock } from "../../test/manual-clock.ts";
import { countMissed, SimulatedServer } from "../../test/simulated-server.ts";
import { logFrom, numbered } from "../session/arbitrary-log.ts";
import type { AnyEvent } from "../session/event.ts";
import { isFactPosition, START, type Position } from "../session/position.ts";
import { emptyView } from "../session/view.ts";
import type { Missed } from "../protocol/socket.ts";
import type { Delivery } from "./attachment.ts";
import { liveSession } from "./live.ts";
import { Socket } from "./socket.ts";

const logs = fc
  .array(fc.nat({ max: 1_000_000 }), { minLength: 20, maxLength: 150, size: "max" })
  .map((choices) => numbered(logFrom(choices)));

type Fault = "cut" | "twice" | "lose" | "overflow" | "sweep";
type Action = { what: "append" | "deliver" | "wait" | Fault; n: number };
const actions = (...faults: Fault[]) =>
  fc.array(
    fc.record({
      what: fc.constantFrom<Action["what"]>("append", "append", "deliver", "deliver", "wait", ...faults),
      n: fc.integer({ min: 1, max: 8 }),
    }),
    { maxLength: 120, size: "max" },
  );

function scene(log: readonly AnyEvent[]) {
  const clock = manualClock();
  const server = new SimulatedServer(log);
  const socket = new Socket({
    open: () => server.open(),
    refusal: () => Promise.resolve(undefined),
    clock,
    chance: () => 0.5,
    online: () => true,
  });
  const act = ({ what, n }: Action) => {
    if (what === "append") server.append(n);
    if (what === "deliver") server.deliver(n);
    if (what === "wait") clock.advance(n * 200);
    if (what === "cut") server.cut();
    if (what === "twice") server.deliverTwice();
    if (what === "lose") server.lose();
    if (what === "overflow") server.overflow();
    if (what === "sweep") server.sweep();
  };
  /** All is written, the network is well after a last cut, and everything has arrived. */
  const settle = () => {
    server.append(log.length);
    server.cut();
    for (let round = 0; round < 40; round++) {
      while (server.frames > 0) server.deliver(1);
      clock.advance(500);
    }
  };
  return { clock, server, socket, act, settle };
}

describe("a session that is followed through any cuts, losses, repeats, overflows and sweeps", () => {
  test("ends with the view that the log has, from the view or from the start", () => {
    let resyncs = 0;
    let returns = 0;
    fc.assert(
      fc.property(
        logs,
        actions("cut", "twice", "lose", "overflow", "sweep"),
        fc.boolean(),
        (log, happenings, fromStart) => {
          const { server, socket, act, settle } = scene(log);
          const start = fromStart ? { after: START, store: "sto_1" } : null;
          const live = liveSession(
            fromStart ? emptyView() : null,
            (deliver) => socket.attach(server.session, start, deliver),
            ({ type }) => (resyncs += type === "resync" ? 1 : 0),
          );
          happenings.forEach(act);
          settle();
          expect(live.view).toEqual(server.view());
          returns += server.opened.length - 1;
          socket.close();
        },
      ),
    );
    expect(resyncs).toBeGreaterThan(0);
    expect(returns).toBeGreaterThan(0);
  });

  test("gives every fact once and in order, unless it says that it went on from a view", () => {
    fc.assert(
      fc.property(logs, actions("cut", "twice", "lose", "overflow", "sweep"), (log, happenings) => {
        const { server, socket, act, settle } = scene(log);
        const expected = factPositions(log);
        let given: Position[] = [];
        let last: Position = START;
        socket.attach(server.session, { after: START, store: "sto_1" }, (delivery) => {
          if (delivery.type === "resync") {
            last = delivery.view.position;
            given = expected.filter((position) => position <= last);
          }
          if (delivery.type !== "events") return;
          given.push(...factPositions(delivery.events));
          for (const { position } of delivery.events) {
            expect(position > last, `${position} after ${last}`).toBe(true); // drafts come once, too
            last = position;
          }
        });
        happenings.forEach(act);
        settle();
        expect(given).toEqual(expected);
        socket.close();
      }),
    );
  });

  test("sums up what was missed over catch-ups that were cut off on the way", () => {
    let interrupted = 0;
    fc.assert(
      fc.property(logs, fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 6 }), (log, stretches) => {
        const { clock, server, socket, settle } = scene(log);
        server.append(log.length); // all of it while the reader was away
        let missed: Missed | undefined;
        socket.attach(server.session, { after: START, store: "sto_1" }, (delivery) => {
          if (delivery.type === "caught_up") missed ??= delivery.missed;
        });
        for (const stretch of stretches) {
          server.deliver(stretch);
          if (missed) break;
          interrupted += stretch > 1 ? 1 : 0;
          server.cut();
          clock.advance(10_000);
        }
        settle();
        expect(missed).toEqual(countMissed(log));
        socket.close();
      }),
    );
    expect(interrupted).toBeGreaterThan(5);
  });
});

test("a reader that left hears nothing more, and can come back", () => {
  const log = numbered(logFrom([1, 2, 3]));
  const { server, socket } = scene(log);
  const heard: Delivery["type"][] = [];
  const attach = () => socket.attach(server.session, null, ({ type }) => heard.push(type));
  const first = attach();
  server.deliver(10);
  expect(heard).toEqual(["resync", "caught_up"]);
  expect(attach).toThrow("attached already");
  first.leave();
  server.append(3);
  server.deliver(10);
  expect(heard).toHaveLength(2);
  attach();
  first.leave(); // late, and no longer its own
  server.deliver(10);
  expect(heard).toEqual(["resync", "caught_up", "resync", "caught_up"]);
});

test("a closed socket stays closed", () => {
  const { server, socket, settle } = scene(numbered(logFrom([1])));
  socket.close();
  socket.retryNow();
  settle();
  expect(socket.connection.state).toBe("closed");
  expect(server.opened).toHaveLength(1);
});

function factPositions(events: readonly AnyEvent[]): Position[] {
  return events.map(({ position }) => position).filter(isFactPosition);
}
