import { expect, it } from "vitest";
import { formatPosition } from "../session/position.ts";
import { DamagedEvent, type Store } from "../store/store.ts";
import { useScene } from "./scene.ts";

const scene = useScene();
const LEASE_MS = 15_000;

it("a session that Holdfast itself fails over is tried a few times, then left alone until something is sent to it", async () => {
  const session = await scene.send("go");
  let isFaulty = true;
  let [looks, nothingFound] = [0, 0];
  const store: Store = {
    ...scene.store,
    events: async (log, ...rest) => {
      if (log !== session || !isFaulty) return scene.store.events(log, ...rest);
      looks += 1;
      throw new TypeError("a fold that does not know what it reads");
    },
    claimSession: async (...wish) => {
      const claim = await scene.store.claimSession(...wish);
      if (!claim) nothingFound += 1;
      return claim;
    },
  };
  const logged: string[] = [];
  const log = { info: () => {}, error: (_: object, message: string) => void logged.push(message) };
  await scene.run(() => "Here I am.", {}, { store, log });
  for (let leases = 0; leases < 8; leases++) {
    const before = nothingFound;
    await expect.poll(() => nothingFound).toBeGreaterThan(before + 1);
    scene.advance(LEASE_MS + 1);
  }
  expect(looks).toBe(3);
  expect(logged.at(-1)).toContain("left alone");
  isFaulty = false;
  await scene.send("and now?", session);
  await scene.untilFact(session, "turn_ended");
});

it("a session whose log is damaged is told of once and left alone, until something is sent to it and it is well again", async () => {
  const session = await scene.send("go");
  const damage = new DamagedEvent(session, formatPosition(2, 0));
  let isDamaged = true;
  let [looks, nothingFound] = [0, 0];
  const store: Store = {
    ...scene.store,
    events: async (log, ...rest) => {
      if (log !== session || !isDamaged) return scene.store.events(log, ...rest);
      looks += 1;
      throw damage;
    },
    claimSession: async (...wish) => {
      const claim = await scene.store.claimSession(...wish);
      if (!claim) nothingFound += 1;
      return claim;
    },
  };
  const [told, logged]: [unknown[], string[]] = [[], []];
  const log = { info: () => {}, error: (_: object, message: string) => void logged.push(message) };
  await scene.run(() => "Here I am.", {}, { store, log, damaged: (error) => void told.push(error) });

  await scene.untilFact(await scene.send("another"), "turn_ended"); // it keeps nobody else from working
  await expect.poll(() => told).toEqual([damage]);
  for (let leases = 0; leases < 3; leases++) {
    scene.advance(LEASE_MS + 1);
    const before = nothingFound;
    await expect.poll(() => nothingFound).toBeGreaterThan(before + 1); // looked, at least once since then
  }
  expect([looks, told.length]).toEqual([1, 1]);
  expect(logged).toEqual([expect.stringContaining("damaged")]);

  await scene.send("are you there?", session);
  await expect.poll(() => looks).toBe(2);
  isDamaged = false;
  scene.advance(LEASE_MS + 1);
  await scene.send("and now?", session);
  await scene.untilFact(session, "turn_ended");
});
