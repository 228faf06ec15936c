import { describe, expect, it } from "vitest";
import type { Store } from "../../src/store/store.ts";
import { forEachStore } from "./stores.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 3_600_000;
const TTL_MS = 30 * DAY_MS;

describe("a token", () => {
  forEachStore(({ open, another, clock }) => {
    const token = { id: "tok_1", person: "owner", kind: "person" as const, name: "laptop", hash: "hash-1" };

    it("is known by its hash, on every node, until it is revoked", async () => {
      const store = await open();
      const added = {
        id: "tok_1",
        person: "owner",
        kind: "person",
        name: "laptop",
        createdAt: clock.iso(),
        usedAt: null,
      };
      expect(await store.addToken(token)).toEqual({ ok: true, token: added });
      expect(await store.tokens()).toEqual([added]);
      const other = await another(store);
      expect(await other.credential("hash-1", TTL_MS)).toEqual({
        id: "tok_1",
        person: "owner",
        kind: "person",
        device: "laptop",
      });
      expect(await other.credential("hash-2", TTL_MS)).toBeUndefined();
      expect(await other.revokeToken("tok_1")).toEqual({ ok: true });
      expect(await other.revokeToken("tok_1")).toEqual({ ok: false, code: "not_found" });
      expect(await other.credential("hash-1", TTL_MS)).toBeUndefined();
      expect(await other.tokens()).toEqual([]);
    });

    it("says when it was last used, to the minute", async () => {
      const store = await open();
      await store.addToken({ ...token, kind: "program" });
      await store.credential("hash-1", TTL_MS);
      const first = clock.iso();
      expect((await store.tokens())[0]).toMatchObject({ kind: "program", usedAt: first });
      clock.advance(MINUTE_MS / 2);
      await store.credential("hash-1", TTL_MS);
      expect((await store.tokens())[0]?.usedAt).toBe(first);
      clock.advance(MINUTE_MS);
      await store.credential("hash-1", TTL_MS);
      expect((await store.tokens())[0]?.usedAt).toBe(clock.iso());
    });

    it("does not expire by itself", async () => {
      const store = await open();
      await store.addToken(token);
      clock.advance(400 * DAY_MS);
      await store.tidy();
      expect(await store.credential("hash-1", TTL_MS)).toMatchObject({ id: "tok_1" });
    });
  });
});

describe("a login", () => {
  forEachStore(({ open, another, clock }) => {
    const login = (n: number) => ({
      id: `lgn_${n}`,
      hash: `login-${n}`,
      device: `phone ${n}`,
      ttlMs: TTL_MS,
    });
    const link = async (store: Store, hash: string, person = "owner") =>
      store.addLoginLink({ hash, person, expiresAt: new Date(clock.now() + 10 * MINUTE_MS).toISOString() });

    it("is made from a link, once, by one of many that try", async () => {
      const store = await open();
      await link(store, "link-1");
      const race = await Promise.all([1, 2, 3, 4].map((n) => store.redeemLoginLink("link-1", login(n))));
      const [won] = race.flatMap((result) => (result.ok ? [result.login] : []));
      expect(race.filter(({ ok }) => ok)).toHaveLength(1);
      expect(race.filter(({ ok }) => !ok)).toEqual(Array(3).fill({ ok: false, code: "unknown" }));
      expect(won).toMatchObject({
        person: "owner",
        createdAt: clock.iso(),
        usedAt: clock.iso(),
        expiresAt: new Date(clock.now() + TTL_MS).toISOString(),
      });
      expect(await store.logins()).toEqual([won]);
    });

    it("can't be made from a link that is too old or unknown", async () => {
      const store = await open();
      await link(store, "link-1");
      clock.advance(10 * MINUTE_MS);
      expect(await store.redeemLoginLink("link-1", login(1))).toEqual({ ok: false, code: "expired" });
      expect(await store.redeemLoginLink("link-2", login(1))).toEqual({ ok: false, code: "unknown" });
      expect(await store.logins()).toEqual([]);
    });

    it("lasts from its last use, over restarts, and then ends", async () => {
      const store = await open();
      await link(store, "link-1", "anna");
      await store.redeemLoginLink("link-1", login(1));
      const credential = { id: "lgn_1", person: "anna", kind: "login", device: "phone 1" };
      clock.advance(TTL_MS - 1_000);
      expect(await store.credential("login-1", TTL_MS)).toEqual(credential);
      const other = await another(store);
      clock.advance(TTL_MS - 1_000);
      expect(await other.credential("login-1", TTL_MS)).toEqual(credential);
      expect((await other.logins())[0]).toMatchObject({
        usedAt: clock.iso(),
        expiresAt: new Date(clock.now() + TTL_MS).toISOString(),
      });
      clock.advance(TTL_MS);
      expect(await other.credential("login-1", TTL_MS)).toBeUndefined();
      expect(await other.logins()).toEqual([]);
    });

    it("is listed by person and ends when it is revoked", async () => {
      const store = await open();
      for (const [n, person] of [
        [1, "owner"],
        [2, "anna"],
        [3, "anna"],
      ] as const) {
        await link(store, `link-${n}`, person);
        await store.redeemLoginLink(`link-${n}`, login(n));
      }
      expect(await store.logins()).toHaveLength(3);
      expect((await store.logins("anna")).map(({ id }) => id).toSorted()).toEqual(["lgn_2", "lgn_3"]);
      expect(await store.revokeLogin("lgn_2")).toEqual({ ok: true });
      expect(await store.revokeLogin("lgn_2")).toEqual({ ok: false, code: "not_found" });
      expect(await store.credential("login-2", TTL_MS)).toBeUndefined();
      expect(await store.credential("login-3", TTL_MS)).toBeDefined();
    });
  });
});

describe("revocations", () => {
  forEachStore(({ open, another, dialect }) => {
    it("are told as they happen, here and on every node", async () => {
      const store = await open();
      await store.addToken({ id: "tok_1", person: "owner", kind: "person", name: "a", hash: "h1" });
      await store.addToken({ id: "tok_2", person: "owner", kind: "person", name: "b", hash: "h2" });
      const other = await another(store);
      const aborting = new AbortController();
      const listening = (dialect === "sqlite" ? [other] : [store, other]).map((node) =>
        node.revocations(aborting.signal),
      );
      await other.revokeToken("tok_none");
      await other.revokeToken("tok_1");
      await other.revokeToken("tok_2");
      for (const heard of listening) {
        const told = new Set<unknown>(); // perhaps more than once: by a hint, and by the poll behind it
        while (!told.has("tok_2")) told.add((await heard.next()).value);
        expect([...told]).toEqual(["tok_1", "tok_2"]);
      }
      aborting.abort();
      for (const heard of listening) expect((await heard.next()).done).toBe(true);
    });
  });
});
