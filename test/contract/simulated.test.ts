// The simulation's store can't lie: whatever is done to it and to a real one, both answer alike.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import type { Store } from "../../src/store/store.ts";
import { manualClock } from "../manual-clock.ts";
import { ComparedStores } from "./compared-stores.ts";
import { MemoryStore } from "./memory-store.ts";

const ROUNDS = 25;
const MOVES = 80;
const clock = manualClock(Date.parse("2026-11-15T09:00:00.000Z"));

let folder: string;
let real: Store;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "holdfast-simulation-"));
  let made = 0;
  const ids = { next: (prefix: string) => `${prefix}_${++made}` };
  const file = join(folder, "holdfast.db");
  real = await openSqliteStore({ file, node: "nod_1", host: "here", clock: () => clock.now(), ids });
});
afterEach(async () => {
  await real.close();
  await rm(folder, { recursive: true });
});

it("the simulation's store answers as a real one does", { timeout: 60_000 }, async () => {
  const memory = new MemoryStore(() => clock.now());
  const reached = new Set<string>();
  for (let round = 1; round <= ROUNDS; round++) {
    const stores = new ComparedStores(real, memory, clock, round);
    for (let n = 0; n < MOVES; n++) for (const outcome of await stores.move()) reached.add(outcome);
    await stores.over();
  }
  const refusals = ["ended", "held", "key_reused", "lease_lost", "moved", "not_found"];
  expect([...reached]).toEqual(expect.arrayContaining(["ok", "replayed", ...refusals]));
});
