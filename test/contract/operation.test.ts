import { describe, expect, it } from "vitest";
import { goodPrefix } from "../../src/store/good-prefix.ts";
import { StorageError } from "../../src/store/store.ts";
import { claim, draft, makeSession, notice, owner, prompt, readAll, stepStarted, write } from "./samples.ts";
import { forEachStore } from "./stores.ts";

const DAY_MS = 24 * 3_600_000;

describe("a store", () => {
  forEachStore(({ open, another, clock, dialect }) => {
    it("has an id of its own that stays, and a name for its node", async () => {
      const store = await open();
      expect(store.id).toMatch(/^sto_/);
      expect(store.dialect).toBe(dialect);
      expect(store.health()).toEqual({ ok: true });
      const other = await another(store);
      expect(other.id).toBe(store.id);
      expect(other.node).not.toBe(store.node);
    });

    it("checks itself: all events counted, nothing damaged, no problems", async () => {
      const store = await open();
      await makeSession(store, "ses_a", { first: [prompt("inp_1")] });
      await write(store, "ses_a", stepStarted("s1"), draft("s1.1/0", 0, "x"));
      await store.createLog("tsk_1", "task", [notice("task")], owner);
      await store.forkSession("ses_a", undefined, "ses_f", owner);
      const events = (
        await Promise.all(["ses_a", "tsk_1", "ses_f"].map((log) => readAll(store, log)))
      ).flat();
      expect(await store.check()).toEqual({ events: events.length, damaged: [], problems: [] });
    });

    it("gives the whole of a sound log as its good prefix", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      await write(store, "ses_a", ...Array.from({ length: 450 }, (_, n) => notice(`${n}`)));
      const prefix = goodPrefix(store, "ses_a");
      const events = [];
      let next = await prefix.next();
      for (; !next.done; next = await prefix.next()) events.push(next.value);
      expect(next.value).toBeUndefined();
      expect(events).toEqual(await readAll(store, "ses_a"));
    });

    it("says of a log that is deleted while its good prefix is read that it was", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      await write(store, "ses_a", ...Array.from({ length: 450 }, (_, n) => notice(`${n}`)));
      const whole = await readAll(store, "ses_a");
      const prefix = goodPrefix(store, "ses_a");
      const events = [(await prefix.next()).value];
      expect(await store.deleteSession("ses_a", { force: true })).toEqual({ ok: true });
      let next = await prefix.next();
      for (; !next.done; next = await prefix.next()) events.push(next.value);
      expect(next.value).toBe("deleted");
      expect(events).toEqual(whole.slice(0, events.length));
      expect(events.length).toBeLessThan(whole.length);
    });

    it("says so as well when all of it was read, but not what it refers to", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      const prefix = goodPrefix(store, "ses_a");
      await prefix.next();
      await store.deleteSession("ses_a", { force: true });
      expect(await prefix.next()).toEqual({ done: true, value: "deleted" });
    });

    it("tidies without touching what is in use", async () => {
      const store = await open();
      await makeSession(store, "ses_a", { first: [prompt("inp_1", "needle")] });
      const lease = await claim(store, "ses_a", 90 * DAY_MS);
      const { blob } = await store.putBlob("ses_a", Buffer.from("text"));
      await store.setTimer({ key: "t", log: "ses_a", dueAt: clock.iso() });
      await store.addLoginLink({
        hash: "link",
        person: "owner",
        expiresAt: new Date(clock.now() + 40 * DAY_MS).toISOString(),
      });
      const before = await readAll(store, "ses_a");
      clock.advance(30 * DAY_MS);
      await store.tidy();
      expect(await readAll(store, "ses_a")).toEqual(before);
      expect((await store.search({ q: "needle", limit: 5 })).items).toHaveLength(1);
      expect(await store.renewLease(lease)).toEqual({ ok: true });
      expect((await store.blob(blob))?.toString()).toBe("text");
      expect(await store.dueTimers(5)).toHaveLength(1);
      expect(
        await store.redeemLoginLink("link", { id: "lgn_1", hash: "h", device: "d", ttlMs: DAY_MS }),
      ).toMatchObject({ ok: true });
      expect((await store.nodes()).map(({ id }) => id)).toContain(store.node);
    });

    it("refuses whatever comes after it was closed, and closes but once", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      const pending = write(store, "ses_a", notice("on its way"));
      await Promise.all([store.close(), store.close()]);
      await pending; // what was asked before closing is done
      await expect(write(store, "ses_a", notice("late"))).rejects.toThrow(StorageError);
      const again = await open();
      expect(await readAll(again, "ses_a")).toHaveLength(2);
    });
  });
});
