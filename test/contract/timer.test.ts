import { describe, expect, it } from "vitest";
import { makeSession } from "./samples.ts";
import { forEachStore } from "./stores.ts";

describe("a timer", () => {
  forEachStore(({ open, another, clock }) => {
    const at = (ms: number) => new Date(clock.now() + ms).toISOString();

    it("is due at its time and not before, earliest first, until somebody clears it", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      await store.setTimer({ key: "late", log: "ses_a", dueAt: at(5_000) });
      await store.setTimer({ key: "soon", log: "ses_a", dueAt: at(1_000) });
      expect(await store.dueTimers(10)).toEqual([]);
      const soon = { key: "soon", log: "ses_a", dueAt: at(1_000) };
      const late = { key: "late", log: "ses_a", dueAt: at(5_000) };
      clock.advance(1_000);
      expect(await store.dueTimers(10)).toEqual([soon]);
      clock.advance(10_000);
      expect(await store.dueTimers(10)).toEqual([soon, late]);
      expect(await store.dueTimers(1)).toEqual([soon]);
      expect(await store.clearTimer("soon")).toBe(true);
      expect(await store.dueTimers(10)).toEqual([late]);
    });

    it("is cleared by one of many that try", async () => {
      const store = await open();
      await store.setTimer({ key: "t", log: "ses_a", dueAt: at(0) });
      const cleared = await Promise.all(Array.from({ length: 6 }, () => store.clearTimer("t")));
      expect(cleared.filter(Boolean)).toHaveLength(1);
      expect(await store.clearTimer("t")).toBe(false);
    });

    it("is set anew under its key, and is there after a restart", async () => {
      const store = await open();
      await store.setTimer({ key: "t", log: "ses_a", dueAt: at(0) });
      await store.setTimer({ key: "t", log: "ses_b", dueAt: at(60_000) });
      const dueAt = at(60_000);
      const other = await another(store);
      expect(await other.dueTimers(10)).toEqual([]);
      clock.advance(60_000);
      expect(await other.dueTimers(10)).toEqual([{ key: "t", log: "ses_b", dueAt }]);
    });
  });
});
