import { setTimeout as nextRound } from "node:timers/promises";
import { expect, it } from "vitest";
import type { StepRequest } from "../driver/driver.ts";
import type { Store } from "../store/store.ts";
import { types, useScene } from "./scene.ts";

const scene = useScene();

/** What each of them was last told, in the order in which they were asked. */
function heard(requests: readonly StepRequest[]): string[] {
  return requests.map(({ context }) => {
    const last = context.at(-1);
    return last?.role === "person" ? last.text : "";
  });
}

it("a session with more to do makes way for whoever waits, after each of its turns", async () => {
  const a = await scene.send("a1");
  for (const text of ["a2", "a3"]) await scene.send(text, a);
  scene.advance(1);
  const b = await scene.send("b1");
  await scene.send("b2", b);
  scene.advance(1);
  const c = await scene.send("c1");
  const driver = await scene.run(() => "Yes.", {}, {}, 1);
  await scene.untilFact(a, "turn_ended", 3);
  expect(heard(driver.requests)).toEqual(["a1", "b1", "c1", "a2", "b2", "a3"]);
  for (const [session, inputs] of [a, b, c].map((id, n) => [id, 3 - n] as const))
    expect(types(await scene.untilFact(session, "turn_ended", inputs))).not.toContain("executor_recovered");
});

it("a session that goes first is the one that waits longest, however much is sent to it", async () => {
  const a = await scene.send("a1");
  scene.advance(1);
  const b = await scene.send("b1");
  scene.advance(1);
  await scene.send("a2", a);
  const driver = await scene.run(() => "Yes.", {}, {}, 1);
  await scene.untilFact(a, "turn_ended", 2);
  await scene.untilFact(b, "turn_ended");
  expect(heard(driver.requests)).toEqual(["a1", "b1", "a2"]);
});

it("a session keeps its lease from turn to turn while nobody waits, and while there is room for all", async () => {
  const sessions = [await scene.send("one"), await scene.send("one")];
  for (const session of sessions) for (const text of ["two", "three"]) await scene.send(text, session);
  await scene.run(() => "Yes.", {}, {}, sessions.length);
  for (const session of sessions) {
    const log = await scene.untilFact(session, "turn_ended", 3);
    const epochs = log.flatMap(({ by }) => ("epoch" in by ? [by.epoch] : []));
    expect(new Set(epochs)).toEqual(new Set([1]));
  }
});

it("a session that was claimed in another's place while the server stops is let go like all others", async () => {
  const [asked, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const [a, b] = [await scene.send("a1"), await scene.send("b1")];
  await scene.send("a2", a);
  await scene.send("b2", b);
  let claims = 0;
  const released: string[] = [];
  const store: Store = {
    ...scene.store,
    async claimSession(...wish) {
      if (++claims > 1) {
        asked.resolve();
        await go.promise;
      }
      return scene.store.claimSession(...wish);
    },
    async releaseLease(lease, rested) {
      if (released.length > 0) await nextRound(); // the one that was claimed late ends late
      released.push(lease.log);
      return scene.store.releaseLease(lease, rested);
    },
  };
  await scene.run(() => "Yes.", {}, { store }, 1);
  await asked.promise;
  const stopped = scene.stop();
  go.resolve();
  await stopped;
  expect(released.toSorted()).toEqual([a, b].toSorted());
  expect(scene.active).toBe(0);
  expect((await scene.store.overview()).leases).toEqual([]);
});
