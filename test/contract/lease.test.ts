import { describe, expect, it } from "vitest";
import { LEASE_MS, claim, ended, makeSession, notice, readAll, write } from "./samples.ts";
import { forEachStore } from "./stores.ts";

const lost = { ok: false, code: "lease_lost" };

describe("a lease", () => {
  forEachStore(({ open, close, another, clock }) => {
    it("is given to one, and to the next only when it is free", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      const race = await Promise.all(Array.from({ length: 8 }, () => store.claimLease("ses_a", LEASE_MS)));
      expect(race.filter(({ ok }) => ok)).toHaveLength(1);
      expect(race.filter(({ ok }) => !ok)).toEqual(Array(7).fill({ ok: false, code: "held" }));
      const [first] = race.flatMap((result) => (result.ok ? [result] : []));
      expect(first).toMatchObject({
        takeover: false,
        lease: { log: "ses_a", holder: store.node, ttlMs: LEASE_MS },
      });

      expect(await store.releaseLease(first!.lease)).toEqual({ ok: true });
      const second = await store.claimLease("ses_a", LEASE_MS);
      expect(second).toMatchObject({ ok: true, takeover: false });
      expect(second.ok && second.lease.epoch).toBeGreaterThan(first!.lease.epoch);
    });

    it("is taken over once its time is over, and the old holder can do nothing more (invariant 3)", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      const old = await claim(store, "ses_a");
      clock.advance(LEASE_MS - 1);
      expect(await store.claimLease("ses_a", LEASE_MS)).toEqual({ ok: false, code: "held" });
      clock.advance(2);
      const taken = await store.claimLease("ses_a", LEASE_MS);
      expect(taken).toMatchObject({ ok: true, takeover: true });
      expect(taken.ok && taken.lease.epoch).toBe(old.epoch + 1);

      expect(await store.append("ses_a", [notice("zombie")], { by: "executor", lease: old })).toEqual(lost);
      expect(await store.renewLease(old)).toEqual(lost);
      expect(await store.releaseLease(old)).toEqual(lost);
      expect(await readAll(store, "ses_a")).toHaveLength(1);
      // The zombie's attempts took nothing from its successor.
      expect(taken.ok && (await store.renewLease(taken.lease))).toEqual({ ok: true });
    });

    it("still counts when it is late, as long as nobody else claimed", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      const lease = await claim(store, "ses_a");
      clock.advance(LEASE_MS * 5);
      expect(await store.append("ses_a", [notice("late")], { by: "executor", lease })).toMatchObject({
        ok: true,
      });
      expect(await store.claimLease("ses_a", LEASE_MS)).toEqual({ ok: false, code: "held" });
    });

    it("is extended by each append and by a renewal", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      const lease = await claim(store, "ses_a");
      for (const extend of [
        () => store.append("ses_a", [notice("alive")], { by: "executor", lease }),
        () => store.renewLease(lease),
        () => store.append("ses_a", [notice("alive")], { by: "executor", lease }),
      ]) {
        for (const ms of [1_000, 3_000, LEASE_MS - 1]) {
          clock.advance(ms);
          expect(await extend()).toMatchObject({ ok: true });
          clock.advance(LEASE_MS - 1);
          expect(await store.claimLease("ses_a", LEASE_MS)).toEqual({ ok: false, code: "held" });
          clock.advance(1 - LEASE_MS);
        }
      }
      clock.advance(LEASE_MS);
      expect(await store.claimLease("ses_a", LEASE_MS)).toMatchObject({ ok: true, takeover: true });
    });

    it("that was released lets its holder append no more", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      const lease = await claim(store, "ses_a");
      await store.releaseLease(lease);
      expect(await store.append("ses_a", [notice("late")], { by: "executor", lease })).toEqual(lost);
      expect(await store.renewLease(lease)).toEqual(lost);
      expect(await store.releaseLease(lease)).toEqual(lost);
    });

    it("is worth nothing with another's name or a made-up epoch", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      const lease = await claim(store, "ses_a");
      for (const forged of [
        { ...lease, holder: "nod_other" },
        { ...lease, epoch: lease.epoch + 1 },
        { ...lease, epoch: lease.epoch - 1 },
      ]) {
        expect(await store.append("ses_a", [notice("x")], { by: "executor", lease: forged })).toEqual(lost);
        expect(await store.renewLease(forged)).toEqual(lost);
        expect(await store.releaseLease(forged)).toEqual(lost);
      }
      expect(await store.renewLease({ ...lease, log: "ses_none" })).toEqual(lost);
      expect(await store.claimLease("ses_none", LEASE_MS)).toEqual({ ok: false, code: "not_found" });
    });

    it("of a node that is gone is taken over at once", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      const lease = await claim(store, "ses_a", 600_000);
      await close(store);
      const next = await open();
      await expect
        .poll(() => next.claimLease("ses_a", LEASE_MS), { timeout: 10_000 })
        .toMatchObject({ ok: true, takeover: true });
      expect(await next.append("ses_a", [notice("zombie")], { by: "executor", lease })).toEqual(lost);
    });

    it("keeps its epoch rising over restarts (invariant 3)", async () => {
      let store = await open();
      await makeSession(store, "ses_a");
      const epochs: number[] = [];
      for (let n = 0; n < 3; n++) {
        const lease = await claim(store, "ses_a");
        epochs.push(lease.epoch);
        await store.append("ses_a", [notice(`${n}`)], { by: "executor", lease });
        await store.releaseLease(lease);
        store = await another(store);
      }
      expect(epochs).toEqual([epochs[0]!, epochs[0]! + 1, epochs[0]! + 2]);
      const written = (await readAll(store, "ses_a")).flatMap(({ by }) => ("epoch" in by ? [by.epoch] : []));
      expect(written).toEqual(epochs);
    });

    it("can be released after the session's end", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      const lease = await claim(store, "ses_a");
      await store.append("ses_a", [ended()], { by: "executor", lease });
      expect(await store.releaseLease(lease)).toEqual({ ok: true });
    });

    it("and its holder stand in the overview", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      await makeSession(store, "ses_b");
      const lease = await claim(store, "ses_a");
      const until = new Date(clock.now() + LEASE_MS).toISOString();
      expect((await store.overview()).leases).toEqual([{ log: "ses_a", holder: store.node, until }]);
      await write(store, "ses_b", notice("unleased"));
      await store.releaseLease(lease);
      expect((await store.overview()).leases).toEqual([]);
      await claim(store, "ses_b");
      await write(store, "ses_b", ended()); // over one that has ended nobody works, whether or not it was given back
      expect((await store.overview()).leases).toEqual([]);
    });
  });
});

describe("nodes", () => {
  forEachStore(({ open, another, dialect }) => {
    it("are named, this one as alive", async () => {
      const store = await open();
      const [self] = await store.nodes();
      expect(self).toMatchObject({ id: store.node, host: "test-host", pid: process.pid, alive: true });
      const next = await another(store);
      const alive = (await next.nodes()).filter((node) => node.alive).map(({ id }) => id);
      expect(alive.toSorted()).toEqual(
        dialect === "sqlite" ? [next.node] : [store.node, next.node].toSorted(),
      );
    });
  });
});
