import { describe, expect, it } from "vitest";
import {
  byOwner,
  claim,
  makeSession,
  notice,
  owner,
  prompt,
  readAll,
  row,
  stepCompleted,
  write,
} from "./samples.ts";
import { forEachStore } from "./stores.ts";

describe("deleting a session", () => {
  forEachStore(({ open, close, clock }) => {
    it("is refused while work is live, unless it is forced", async () => {
      const store = await open();
      await makeSession(store, "ses_a", { first: [prompt("inp_1")] });
      expect(await store.deleteSession("ses_a", { force: false })).toEqual({
        ok: false,
        code: "live",
        status: "queued",
        processes: 0,
      });
      expect(await store.deleteSession("ses_a", { force: true })).toEqual({ ok: true });
      expect(await store.deleteSession("ses_a", { force: true })).toEqual({ ok: false, code: "not_found" });
      await makeSession(store, "ses_b");
      expect(await store.deleteSession("ses_b", { force: false })).toEqual({ ok: true });
    });

    it("takes all of it: log, row, search, asks, seen, timers, leases; and nothing of others", async () => {
      const store = await open();
      for (const id of ["ses_a", "ses_b"]) {
        await makeSession(store, id, { title: `About ${id}` });
        await write(store, id, prompt("inp_1", "find the unicorn"), stepCompleted("s1", "unicorn found"));
        await store.setSeen("owner", id, (await row(store, id)).position);
        await store.setTimer({ key: `timer:${id}`, log: id, dueAt: clock.iso() });
        await claim(store, id);
      }
      await store.deleteSession("ses_a", { force: true });
      expect(await store.session("ses_a", "owner")).toBeUndefined();
      expect(await store.head("ses_a")).toBeUndefined();
      expect(await store.view("ses_a")).toBeUndefined();
      expect(await readAll(store, "ses_a")).toEqual([]);
      expect((await store.sessions({ limit: 10 }, "owner")).items.map(({ id }) => id)).toEqual(["ses_b"]);
      expect((await store.search({ q: "unicorn", limit: 10 })).items.map(({ session }) => session)).toEqual([
        "ses_b",
        "ses_b",
      ]);
      expect((await store.dueTimers(10)).map(({ key }) => key)).toEqual(["timer:ses_b"]);
      expect((await store.overview()).leases.map(({ log }) => log)).toEqual(["ses_b"]);
      expect(await store.append("ses_a", [notice("late")], byOwner)).toEqual({
        ok: false,
        code: "not_found",
      });
      expect(await readAll(store, "ses_b")).toHaveLength(3);
    });

    it("takes whoever works for it along, and is refused while they do, unless it is forced", async () => {
      const store = await open();
      const worksFor = (session: string) => ({ origin: { kind: "delegation", session } as const });
      await makeSession(store, "ses_a");
      await makeSession(store, "ses_b", worksFor("ses_a"));
      await makeSession(store, "ses_c", { ...worksFor("ses_b"), first: [prompt("inp_1")] });
      await makeSession(store, "ses_other");
      expect(await store.deleteSession("ses_a", { force: false })).toMatchObject({
        code: "live",
        status: "queued",
      });
      expect(await store.deleteSession("ses_a", { force: true })).toEqual({ ok: true });
      for (const id of ["ses_a", "ses_b", "ses_c"]) expect(await store.head(id)).toBeUndefined();
      expect(await store.head("ses_other")).toBeDefined();
      expect(await store.dueTimers(10)).toEqual([]);
      const late = { id: "ses_d", profile: "default", ...worksFor("ses_a") };
      expect(await store.createSession(late, owner)).toEqual({ ok: false, code: "origin_gone" });
    });

    it("leaves a timer to the session that it worked for", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      await makeSession(store, "ses_b", { origin: { kind: "delegation", session: "ses_a" } });
      await store.deleteSession("ses_b", { force: false });
      expect(await store.dueTimers(10)).toMatchObject([{ key: "gone:ses_b", log: "ses_a" }]);
      await store.deleteSession("ses_a", { force: false });
      expect(await store.dueTimers(10)).toEqual([]);
    });

    it("leaves the name free, for a log that begins anew", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      await write(store, "ses_a", ...Array.from({ length: 700 }, (_, n) => notice(`old ${n}`)));
      await store.setSeen("owner", "ses_a", (await row(store, "ses_a")).position);
      await store.deleteSession("ses_a", { force: true });
      await makeSession(store, "ses_a");
      await write(store, "ses_a", notice("new"));
      expect(await readAll(store, "ses_a")).toHaveLength(2);
      expect(await store.seen("owner", "ses_a")).toBe("0000000000000000_0000000000000000");
      await close(store);
      const again = await open();
      expect(await readAll(again, "ses_a")).toHaveLength(2);
      await expect.poll(async () => (await again.check()).events).toBe(2);
      expect((await again.check()).problems).toEqual([]);
    });
  });
});
