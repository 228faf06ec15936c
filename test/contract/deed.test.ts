import { describe, expect, it } from "vitest";
import type { Deed } from "../../src/session/deed.ts";
import type { Command, Store } from "../../src/store/store.ts";
import { forEachStore } from "./stores.ts";

const deed = (id: string): Deed => ({
  id,
  deed: "session_deleted",
  by: { person: "ada\0", device: "phone", program: true },
  credential: "tok_1",
  what: { session: "ses_1", force: true },
});

const command = { scope: "ada", key: "k", digest: "d" };

type Noted = {
  verb: (store: Store, command: Command, deed: Deed) => Promise<{ ok: boolean }>;
  /** Without it there is nothing to do it to. */
  before?: (store: Store) => Promise<unknown>;
};

const token = { id: "tok_1", person: "ada", kind: "program", name: "ci", hash: "h" } as const;
const rule = { id: "rul_1", profile: "p", tool: "shell", match: "m", decision: "allow" } as const;
const link = { hash: "h", person: "ada", expiresAt: "2100-01-01T00:00:00.000Z" };

/** Whatever takes something away or lets somebody in. */
const noted: Record<string, Noted> = {
  "a deletion": {
    before: (store) => store.createSession({ id: "ses_1", profile: "p" }, { person: "ada" }),
    verb: (store, ...how) => store.deleteSession("ses_1", { force: false }, ...how),
  },
  "a rule's removal": {
    before: (store) => store.addRule(rule),
    verb: (store, ...how) => store.removeRule(rule.id, ...how),
  },
  "a token": { verb: (store, ...how) => store.addToken(token, ...how) },
  "a token's revocation": {
    before: (store) => store.addToken(token),
    verb: (store, ...how) => store.revokeToken(token.id, ...how),
  },
  "a login link": { verb: (store, ...how) => store.addLoginLink(link, ...how) },
  "a login's revocation": {
    before: async (store) => {
      await store.addLoginLink(link);
      await store.redeemLoginLink(link.hash, { id: "lgn_1", hash: "l", device: "phone", ttlMs: 1_000 });
    },
    verb: (store, ...how) => store.revokeLogin("lgn_1", ...how),
  },
};

describe("the trail", () => {
  forEachStore(({ open, another, clock }) => {
    it("tells who did what and when, newest first, also after a restart", async () => {
      const store = await open();
      expect(await store.deeds({ limit: 5 })).toEqual({ items: [], next: null });
      const first = { ...deed("ded_z"), at: clock.iso() };
      await store.noteDeed(deed("ded_z"));
      clock.advance(-60_000); // set back: what was noted last stays the newest
      const second = { ...deed("ded_a"), credential: null, at: clock.iso() };
      await store.noteDeed({ ...deed("ded_a"), credential: null });
      const again = await another(store);
      expect(await again.deeds({ limit: 5 })).toEqual({ items: [second, first], next: null });
    });

    it("has a deed once, as it was noted first, however often and at once it is noted", async () => {
      const store = await open();
      const at = clock.iso();
      await Promise.all(Array.from({ length: 8 }, () => store.noteDeed(deed("ded_1"))));
      await store.noteDeed(deed("ded_2"));
      clock.advance(1_000);
      const other = await another(store);
      await other.noteDeed({ ...deed("ded_1"), what: { session: "ses_2" } });
      expect((await other.deeds({ limit: 5 })).items).toEqual([
        { ...deed("ded_2"), at },
        { ...deed("ded_1"), at },
      ]);
    });

    it("is paged without gaps or repeats while more is noted", async () => {
      const store = await open();
      const ids = Array.from({ length: 7 }, (_, n) => `ded_${(n * 5) % 7}`); // in no order of their own
      for (const id of ids) await store.noteDeed(deed(id));
      for (const limit of [1, 3, 7]) expect(await byPage(store, limit)).toEqual(ids.toReversed());
      const { next } = await store.deeds({ limit: 2 });
      await store.noteDeed(deed("ded_later"));
      const rest = await store.deeds({ limit: 200, after: next! });
      expect(rest.items.map(({ id }) => id)).toEqual(ids.toReversed().slice(2));
    });

    it("has nothing after a deed that is no longer there", async () => {
      const store = await open();
      await store.noteDeed(deed("ded_1"));
      expect(await store.deeds({ limit: 5, after: "ded_0\0" })).toEqual({ items: [], next: null });
    });

    it.each(Object.entries(noted))(
      "has %s once it is done, and once though it is done twice",
      async (_, { before, verb }) => {
        const store = await open();
        await before?.(store);
        expect(await verb(store, command, deed("ded_1"))).toMatchObject({ ok: true });
        expect(await verb(store, command, deed("ded_2"))).toMatchObject({ ok: true, replayed: true });
        expect((await store.deeds({ limit: 5 })).items).toEqual([{ ...deed("ded_1"), at: clock.iso() }]);
      },
    );

    it.each(Object.entries(noted).filter(([, { before }]) => before))(
      "has nothing of %s that was refused",
      async (_, { verb }) => {
        const store = await open();
        expect(await verb(store, command, deed("ded_1"))).toEqual({ ok: false, code: "not_found" });
        expect((await store.deeds({ limit: 5 })).items).toEqual([]);
      },
    );

    it("is kept by tidying", async () => {
      const store = await open();
      await store.noteDeed(deed("ded_1"));
      clock.advance(400 * 24 * 3_600_000);
      await store.tidy();
      expect((await store.deeds({ limit: 5 })).items).toHaveLength(1);
    });
  });
});

async function byPage(store: Store, limit: number): Promise<string[]> {
  const seen: string[] = [];
  for (let after: string | undefined; ;) {
    const { items, next } = await store.deeds({ limit, ...(after !== undefined && { after }) });
    seen.push(...items.map(({ id }) => id));
    if (next === null) return seen;
    after = next;
  }
}
