import * as fc from "fast-check";
import { expect, test } from "vitest";
import { problem } from "../protocol/problem.ts";
import {
  begin,
  elapsed,
  greeted,
  heard,
  hurried,
  lost,
  refused,
  waitMs,
  type Connection,
} from "./connection.ts";

const hello = { op: "hello", store: "sto_1", version: "1", person: "owner", heartbeatMs: 1000 } as const;
const at = (now: number, chance = 0, online = true) => ({ now, chance, online });

function connected(now: number): Connection {
  return greeted(begin(now), hello, now);
}

test("a greeting makes a connection, and silence for two and a half heartbeats ends it", () => {
  const quiet = heard(connected(0), 400);
  expect(elapsed(quiet, at(400 + 2499))).toBe(quiet);
  expect(elapsed(quiet, at(400 + 2500))).toMatchObject({ state: "reconnecting", failures: 1 });
});

test("a server that accepts and never greets is given up", () => {
  expect(elapsed(begin(0), at(9_999))).toMatchObject({ state: "connecting" });
  expect(elapsed(begin(0), at(10_000))).toMatchObject({ state: "reconnecting" });
});

test("waits double with every failure, are spread by chance, and stay bounded", () => {
  const waits = (chance: number) => {
    const found: number[] = [];
    let connection = begin(0);
    for (let i = 0; i < 10; i++) {
      const failed = lost(connection, at(0, chance));
      found.push(waitMs(failed, 0) ?? -1);
      connection = elapsed(failed, at(1e9));
      connection = { ...connection, since: 0 } as Connection;
    }
    return found;
  };
  expect(waits(0).slice(0, 4)).toEqual([125, 250, 500, 1000]);
  expect(Math.max(...waits(0.999))).toBeLessThanOrEqual(10_000);
  expect(waits(0.5)).not.toEqual(waits(0));
});

test("a connection that held makes up for the failures before it; one that broke at once does not", () => {
  const third = { state: "connecting", failures: 3, since: 0 } as const;
  const held = greeted(third, hello, 0);
  expect(lost(held, at(1_000))).toMatchObject({ failures: 1 });
  expect(lost(held, at(999))).toMatchObject({ failures: 4 });
});

test("looking at the page cuts a long wait short", () => {
  const waiting = lost({ state: "connecting", failures: 9, since: 0 }, at(0, 0.9));
  expect(waitMs(waiting, 2_000)).toBeGreaterThan(5_000);
  expect(elapsed(hurried(waiting, 2_000), at(2_000))).toMatchObject({ state: "connecting", since: 2_000 });
});

test("without a network it still tries, since the server may be on this machine, but slowly", () => {
  const off = lost(connected(0), at(5_000, 0, false));
  expect(off).toMatchObject({ state: "offline" });
  expect(waitMs(off, 5_000)).toBe(10_000);
  expect(elapsed(off, at(15_000))).toMatchObject({ state: "connecting" });
});

test("a refusal waits for a person, and then tries again", () => {
  const failed = refused(lost(begin(0), at(0)), problem("unauthorized", "log in"));
  expect(waitMs(failed, 0)).toBeUndefined();
  expect(elapsed(failed, at(1e9))).toBe(failed);
  expect(elapsed(hurried(failed, 1_000), at(1_000))).toMatchObject({ state: "connecting" });
});

test("a clock that is set back does not make it wait for the clock to catch up", () => {
  const day = 86_400_000;
  const waiting = lost(begin(day), at(day));
  expect(elapsed(waiting, at(0))).toMatchObject({ state: "connecting" });
  const talking = elapsed(connected(day), at(0));
  expect(elapsed(talking, at(2_500))).toMatchObject({ state: "reconnecting" });
});

const happening = fc.oneof(
  fc.record({ what: fc.constant("lost" as const), afterMs: fc.nat(300), online: fc.boolean() }),
  fc.record({ what: fc.constant("hurried" as const), afterMs: fc.nat(300), online: fc.constant(true) }),
  fc.record({ what: fc.constant("elapsed" as const), afterMs: fc.nat(12_000), online: fc.boolean() }),
  fc.record({ what: fc.constant("greeted" as const), afterMs: fc.nat(300), online: fc.constant(true) }),
);

test("whatever happens, attempts begin at least an eighth of a second apart and never stop for good", () => {
  fc.assert(
    fc.property(
      fc.array(happening, { maxLength: 200 }),
      fc.double({ min: 0, max: 0.99, noNaN: true }),
      (all, chance) => {
        let now = 0;
        let connection = begin(now);
        const begun = [now];
        const move = (next: Connection) => {
          if (next.state === "connecting" && connection.state !== "connecting") begun.push(now);
          connection = next;
        };
        for (const { what, afterMs, online } of all) {
          now += afterMs;
          if (what === "lost") move(lost(connection, at(now, chance, online)));
          if (what === "hurried") move(hurried(connection, now));
          if (what === "elapsed") move(elapsed(connection, at(now, chance, online)));
          if (what === "greeted") move(greeted(connection, hello, now));
        }
        const gaps = begun.slice(1).map((time, i) => time - (begun[i] ?? 0));
        expect(Math.min(Infinity, ...gaps)).toBeGreaterThanOrEqual(125);
        // From any state, waiting as told leads to another attempt.
        for (let i = 0; i < 3 && connection.state !== "connecting"; i++) {
          now += waitMs(connection, now) ?? Infinity;
          move(elapsed(connection, at(now, chance)));
        }
        expect(connection.state).toBe("connecting");
      },
    ),
  );
});
