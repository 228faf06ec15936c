import { expect, it } from "vitest";
import { formatPosition } from "../session/position.ts";
import { DamagedEvent, type Store } from "../store/store.ts";
import { ids, owner, types, useScene } from "./scene.ts";

const scene = useScene();
const LEASE_MS = 15_000;
const FAULT = "a fold that does not know what it reads";
const silent = { info: () => {}, error: () => {} };

it("a session that Holdfast itself fails over is tried a few times, then left alone until something is sent to it", async () => {
  const session = await scene.send("go");
  const faulty = faultyStore(session);
  const logged: string[] = [];
  const log = { info: () => {}, error: (_: object, message: string) => void logged.push(message) };
  await scene.run(() => "Here I am.", {}, { store: faulty.store, log });
  for (let leases = 0; leases < 8; leases++) await faulty.nextLease();
  expect(faulty.looks).toBe(3);
  expect(logged.at(-1)).toContain("left alone");
  faulty.isFaulty = false;
  await scene.send("and now?", session);
  await scene.untilFact(session, "turn_ended");
});

it("a session that is left alone says so in its log and its row, with the reason, once for each time that it is tried in vain", async () => {
  const session = await scene.send("go");
  const faulty = faultyStore(session);
  await scene.run(() => "Here I am.", {}, { store: faulty.store, log: silent });
  for (let leases = 0; leases < 5; leases++) await faulty.nextLease();
  const told = (await scene.untilFact(session, "executor_gave_up")).at(-1);
  expect(told?.data).toMatchObject({ reason: FAULT });
  expect(await scene.store.session(session, "owner")).toMatchObject({ attention: { kind: "failed" } });
  expect((await scene.store.view(session))?.messages.at(-1)).toMatchObject({
    kind: "notice",
    level: "error",
    text: expect.stringMatching(/Send anything to try again.*a fold that does not know/),
  });

  await scene.send("and now?", session);
  for (let leases = 0; leases < 3; leases++) await faulty.nextLease();
  expect(faulty.looks).toBe(4);
  expect(types(await scene.untilFact(session, "executor_gave_up", 2)).slice(-3)).toEqual([
    "executor_gave_up",
    "input_admitted",
    "executor_gave_up",
  ]);
});

it("a turn that was given up goes on where it stood, and is no longer called failed", async () => {
  const session = await scene.send("go");
  await scene.run(() => ({ hangs: "Well" }));
  await scene.untilFact(session, "step_started");
  await scene.stop();
  const faulty = faultyStore(session);
  await scene.run(() => "Here I am.", {}, { store: faulty.store, log: silent });
  for (let leases = 0; leases < 5; leases++) await faulty.nextLease();
  await scene.untilFact(session, "executor_gave_up");
  expect(await scene.store.session(session, "owner")).toMatchObject({
    status: "running",
    attention: { kind: "failed" },
  });
  faulty.isFaulty = false;
  scene.advance(LEASE_MS + 1);
  await scene.send("and now?", session);
  const events = await scene.untilFact(session, "turn_ended", 2);
  expect(types(events).filter((type) => type === "turn_started")).toHaveLength(2);
  expect(await scene.store.session(session, "owner")).toMatchObject({ status: "idle", attention: null });
});

it("what executors themselves write wakes no session that was left alone, or nodes would wake each other for ever", async () => {
  const session = await scene.send("go");
  const faulty = faultyStore(session);
  await scene.run(() => "Here I am.", {}, { store: faulty.store, log: silent });
  for (let leases = 0; leases < 5; leases++) await faulty.nextLease();
  await scene.untilFact(session, "executor_gave_up");
  await scene.store.append(session, [{ type: "executor_lost", data: { epoch: 9 } }], {
    by: "keeper",
    keeper: "executor",
    key: "lost:9",
  });
  for (let leases = 0; leases < 3; leases++) await faulty.nextLease();
  expect(faulty.looks).toBe(3);
});

it("a session that was left alone is tried again after a restart, and told of no second time if that is in vain", async () => {
  const session = await scene.send("go");
  for (let restarts = 0; restarts < 2; restarts++) {
    const faulty = faultyStore(session);
    await scene.run(() => "Here I am.", {}, { store: faulty.store, log: silent });
    for (let leases = 0; leases < 5; leases++) await faulty.nextLease();
    expect(faulty.looks).toBe(3);
    await scene.stop();
    scene.advance(LEASE_MS + 1);
  }
  const events = await scene.untilFact(session, "executor_gave_up");
  expect(types(events).filter((type) => type === "executor_gave_up")).toHaveLength(1);
  await scene.run(() => "Here I am.");
  await scene.untilFact(session, "turn_ended");
});

it("faults with a turn that went well between them are not in a row", async () => {
  const session = await scene.send("go");
  let faults = 0;
  const store: Store = {
    ...scene.store,
    events: async (log, ...rest) => {
      if (log !== session || faults === 0) return scene.store.events(log, ...rest);
      faults -= 1;
      throw new TypeError("a fold that does not know what it reads");
    },
  };
  const logged: string[] = [];
  const log = { info: () => {}, error: (_: object, message: string) => void logged.push(message) };
  await scene.run(() => "Here I am.", {}, { store, log });
  for (let turns = 1; turns <= 3; turns++) {
    await scene.untilFact(session, "turn_ended", turns);
    await expect.poll(async () => (await scene.store.overview()).leases).toEqual([]);
    faults = 2;
    await scene.send("again", session);
    for (let left = 1; left >= 0; left--) {
      await expect.poll(() => faults).toBe(left);
      scene.advance(LEASE_MS + 1);
    }
  }
  await scene.untilFact(session, "turn_ended", 4);
  expect(logged.filter((message) => message.includes("left alone"))).toEqual([]);
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

it("a session that can't be gone on with over another's damaged log is tried again when something comes to that one", async () => {
  const session = await scene.send("go");
  const other = ids.next("ses");
  await scene.store.createSession({ id: other, profile: "default" }, owner);
  let looks = 0;
  const store: Store = {
    ...scene.store,
    snapshot: async (log) => {
      if (log !== session || (looks += 1) > 1) return scene.store.snapshot(log);
      throw new DamagedEvent(other, formatPosition(1, 0));
    },
  };
  await scene.run(() => "Here I am.", {}, { store, log: silent });
  await expect.poll(() => looks).toBe(1);
  scene.advance(LEASE_MS + 1);
  await scene.append(other, { type: "notice", data: { level: "info", text: "well again" } });
  await scene.untilFact(session, "turn_ended");
});

it("what is sent to a session while it is being given up has it tried again", async () => {
  const session = await scene.send("go");
  const faulty = faultyStore(session);
  let isTold = false;
  const store: Store = {
    ...faulty.store,
    append: async (log, events, ...rest) => {
      const appended = await scene.store.append(log, events, ...rest);
      if (events[0]?.type !== "executor_gave_up" || isTold) return appended;
      isTold = true;
      await scene.send("and now?", session);
      await faulty.nextLook(); // its wake is over before the session is remembered
      faulty.isFaulty = false;
      return appended;
    },
  };
  await scene.run(() => "Here I am.", {}, { store, log: silent });
  for (let leases = 0; leases < 4; leases++) await faulty.nextLease();
  expect(types(await scene.untilFact(session, "turn_ended"))).toContain("executor_gave_up");
});

it("a session of which it can't be read what came to it is tried again rather than left", async () => {
  const session = await scene.send("go");
  const faulty = faultyStore(session);
  const events: Store["events"] = async (log, ...rest) => {
    if (log === session && faulty.isFaulty) throw new TypeError(FAULT);
    return scene.store.events(log, ...rest);
  };
  await scene.run(() => "Here I am.", {}, { store: { ...faulty.store, events }, log: silent });
  for (let leases = 0; leases < 5; leases++) await faulty.nextLease();
  await scene.send("and now?", session);
  for (let leases = 0; leases < 3; leases++) await faulty.nextLease();
  expect(faulty.looks).toBeGreaterThan(3);
});

it("a session of which it can't even be told that it was given up is left alone all the same", async () => {
  const session = await scene.send("go");
  const faulty = faultyStore(session);
  const append: Store["append"] = async (log, events, ...rest) => {
    if (events[0]?.type === "executor_gave_up") throw new TypeError("it can't be told either");
    return scene.store.append(log, events, ...rest);
  };
  await scene.run(() => "Here I am.", {}, { store: { ...faulty.store, append }, log: silent });
  for (let leases = 0; leases < 8; leases++) await faulty.nextLease();
  expect(faulty.looks).toBe(3);
  faulty.isFaulty = false;
  await scene.send("and now?", session);
  await scene.untilFact(session, "turn_ended");
});

/** One over whose view of this session everybody stumbles. */
function faultyStore(session: string) {
  const faulty = { isFaulty: true, looks: 0, claims: 0, lastInVain: 0 };
  const store: Store = {
    ...scene.store,
    snapshot: async (log) => {
      if (log !== session || !faulty.isFaulty) return scene.store.snapshot(log);
      faulty.looks += 1;
      throw new TypeError(FAULT);
    },
    claimSession: async (...wish) => {
      const ordinal = (faulty.claims += 1);
      const claim = await scene.store.claimSession(...wish);
      if (!claim) faulty.lastInVain = Math.max(faulty.lastInVain, ordinal);
      return claim;
    },
  };
  /** Once all that could be claimed is being worked on. The first time, the others of its round may still be found. */
  const nextLook = async () => {
    for (let times = 0; times < 2; times++) {
      const before = faulty.claims;
      await expect.poll(() => faulty.lastInVain).toBeGreaterThan(before);
    }
  };
  /** Not before whoever holds one has let go: a lease that runs out under its hands is another story. */
  const nextLease = async () => {
    await nextLook();
    await expect.poll(() => scene.active).toBe(0);
    scene.advance(LEASE_MS + 1);
  };
  return Object.assign(faulty, { store, nextLook, nextLease });
}
