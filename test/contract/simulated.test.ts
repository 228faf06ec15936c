import { describe, expect, it } from "vitest";
import { ComparedStores } from "../simulation/compared-stores.ts";
import { MemoryStore } from "../simulation/memory-store.ts";
import { forEachStore } from "./stores.ts";

const ROUNDS = 8;
const MOVES = 80;

describe("the store of the simulation can't lie", () => {
  forEachStore((harness) => {
    it("since it answers as this one does, whatever is done to both", { timeout: 120_000 }, async () => {
      const { clock } = harness;
      const real = await harness.open();
      const memory = new MemoryStore(() => clock.now());
      const reached = new Set<string>();
      for (let round = 1; round <= ROUNDS; round++) {
        const stores = new ComparedStores(real, memory, clock, round);
        for (let n = 0; n < MOVES; n++) for (const outcome of await stores.move()) reached.add(outcome);
        await stores.over();
      }
      const refusals = ["ended", "held", "key_reused", "lease_lost", "live", "moved", "not_found"];
      expect([...reached]).toEqual(expect.arrayContaining(["ok", "replayed", ...refusals]));
    });
  });
});
