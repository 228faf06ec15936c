import { expect, it } from "vitest";
import { StorageError, type Store } from "../store/store.ts";
import { wallClock } from "./clock.ts";
import { types, useScene } from "./scene.ts";

const scene = useScene();
const HOUR_MS = 3600_000;
const FAILURES = 6; // twice what a step that kills its executors is allowed

it("a storage that fails again and again is no crash: the turn goes on when it is back", async () => {
  let failures = 0;
  const flapping = (store: Store): Store => ({
    ...store,
    append: async (log, events, writer, options) => {
      if (events[0]?.type === "step_completed" && failures < FAILURES) {
        failures += 1;
        scene.advance(20_000); // its lease runs out meanwhile
        throw new StorageError("busy", "the database is away");
      }
      return store.append(log, events, writer, options);
    },
  });
  const log = { info: () => {}, error: () => {} };
  await scene.run(() => "At last.", {}, { store: flapping(scene.store), log });
  const events = await scene.untilFact(await scene.send("go"), "turn_ended");
  expect(failures).toBe(FAILURES);
  expect(events.at(-1)?.data).toMatchObject({ outcome: "completed" });
  expect(types(events).filter((type) => type === "executor_recovered")).toHaveLength(FAILURES);
});

it("a store whose clock is ahead of ours has nobody look for what is not due, and its times are kept", async () => {
  let failed = 0;
  const clock = { now: () => Date.now() - HOUR_MS, after: wallClock.after };
  const retry = { firstMs: 400, mostMs: 400, totalMs: 60_000 };
  await scene.run(
    () => {
      if (failed++ < 2) return { fault: { class: "overloaded", message: "not now" } };
      return "At last.";
    },
    {},
    { clock, retry },
  );
  const events = await scene.untilFact(await scene.send("go"), "turn_ended");
  expect(events.at(-1)?.data).toMatchObject({ outcome: "completed" });
  const epochs = new Set(events.flatMap(({ by }) => ("epoch" in by ? [by.epoch] : [])));
  expect([...epochs]).toEqual([1, 2, 3]); // the turn, and each retry: claimed once
  const [, ...again] = events.filter(({ type }) => type === "step_started");
  const aborted = events.filter(({ type }) => type === "step_aborted");
  for (const [n, { at, data }] of aborted.entries()) {
    const { retryAt } = data as { retryAt: string };
    expect(Date.parse(retryAt)).toBeGreaterThan(Date.parse(at) - HOUR_MS / 2); // in the store's time, not in ours
    expect(Date.parse(again[n]!.at)).toBeGreaterThanOrEqual(Date.parse(retryAt));
  }
});
