import { describe, expect, it } from "vitest";
import { formatPosition } from "../../src/session/position.ts";
import { COMMAND_KEPT_MS, type Command, type Writer } from "../../src/store/store.ts";
import {
  anna,
  appended,
  byOwner,
  ended,
  makeSession,
  notice,
  owner,
  prompt,
  readAll,
  write,
} from "./samples.ts";
import { forEachStore } from "./stores.ts";

const command: Command = { scope: "owner", key: "k1", digest: "d1" };
const keyed = (more: Partial<Command> = {}): Writer => ({
  by: "client",
  author: owner,
  command: { ...command, ...more },
});

describe("a command's key", () => {
  forEachStore(({ open, another, clock }) => {
    it("gives one append, and the same answer each time (invariant 9)", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      const first = await store.append("ses_a", [prompt("inp_1")], keyed(), { note: { input: "inp_1" } });
      const kept = { ok: true, position: formatPosition(2, 0), note: { input: "inp_1" } };
      expect(first).toMatchObject(kept);
      await write(store, "ses_a", notice("meanwhile"));
      const again = await store.append("ses_a", [prompt("inp_2")], keyed(), { note: { input: "inp_2" } });
      expect(again).toEqual({ ...kept, replayed: true });
      expect(await readAll(store, "ses_a")).toHaveLength(3);
    });

    it("gives one append to many that come at once", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      const results = await Promise.all(
        Array.from({ length: 10 }, (_, n) =>
          store.append("ses_a", [prompt(`inp_${n}`)], keyed(), { note: n }),
        ),
      );
      expect(results.filter((result) => result.ok && !result.replayed)).toHaveLength(1);
      expect(new Set(results.map((result) => result.ok && result.note)).size).toBe(1);
      expect(await readAll(store, "ses_a")).toHaveLength(2);
    });

    it("is refused for another request", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      await store.append("ses_a", [prompt("inp_1")], keyed());
      expect(await store.append("ses_a", [prompt("inp_2")], keyed({ digest: "d2" }))).toEqual({
        ok: false,
        code: "key_reused",
      });
      expect(await readAll(store, "ses_a")).toHaveLength(2);
    });

    it("is another key in another person's hands", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      await store.append("ses_a", [prompt("inp_1")], keyed());
      expect(await store.append("ses_a", [prompt("inp_2")], keyed({ scope: "anna" }))).toMatchObject({
        ok: true,
      });
      expect(await readAll(store, "ses_a")).toHaveLength(3);
    });

    it("keeps only what succeeded: a refused command may be tried again", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      expect(await store.append("ses_a", [notice("x")], keyed(), { expectSeq: 7 })).toMatchObject({
        code: "moved",
      });
      expect(await store.append("ses_a", [notice("x")], keyed(), { expectSeq: 1 })).toEqual({
        ok: true,
        position: formatPosition(2, 0),
        at: clock.iso(),
      });
    });

    it("answers after the session's end and on another node", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      const position = await appended(store.append("ses_a", [prompt("inp_1")], keyed()));
      await write(store, "ses_a", ended());
      const other = await another(store);
      expect(await other.append("ses_a", [prompt("inp_1")], keyed())).toEqual({
        ok: true,
        position,
        replayed: true,
      });
    });

    it("makes one session, and gives the same one again", async () => {
      const store = await open();
      const made = await Promise.all(
        ["ses_a", "ses_b", "ses_c"].map((id) => store.createSession({ id, profile: "p" }, owner, command)),
      );
      const ids = new Set(made.map((result) => result.ok && result.session.id));
      expect(ids.size).toBe(1);
      expect(made.filter((result) => result.ok && !result.replayed)).toHaveLength(1);
      expect((await store.sessions({ limit: 10 }, "owner")).items).toHaveLength(1);
      expect(
        await store.createSession({ id: "ses_d", profile: "q" }, owner, { ...command, digest: "d2" }),
      ).toEqual({
        ok: false,
        code: "key_reused",
      });
    });

    it("makes one fork and one token", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      const forks = await Promise.all(
        ["ses_f", "ses_g"].map((id) => store.forkSession("ses_a", undefined, id, owner, command)),
      );
      expect(new Set(forks.map((fork) => fork.ok && fork.session.id)).size).toBe(1);
      expect((await store.sessions({ limit: 10 }, "owner")).items).toHaveLength(2);

      const token = { person: "owner", kind: "person" as const, name: "laptop" };
      const key = { ...command, key: "k2" };
      const first = await store.addToken({ ...token, id: "tok_1", hash: "h1" }, key);
      const again = await store.addToken({ ...token, id: "tok_2", hash: "h2" }, key);
      expect(again).toEqual({ ...first, replayed: true });
      expect(await store.tokens()).toHaveLength(1);
      expect(await store.addToken({ ...token, id: "tok_3", hash: "h3" }, { ...key, digest: "d2" })).toEqual({
        ok: false,
        code: "key_reused",
      });
    });

    it("arranges, revokes, removes and deletes once, and says so again", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      const token = { person: "owner", kind: "person" as const, name: "laptop" };
      await store.addToken({ ...token, id: "tok_1", hash: "h1" });
      const link = { hash: "l1", person: "owner", expiresAt: new Date(clock.now() + 60_000).toISOString() };
      const added = await store.addLoginLink(link, { ...command, key: "link" });
      expect(added).toEqual({ ok: true, expiresAt: link.expiresAt });
      const later = { ...link, hash: "l2", expiresAt: new Date(clock.now() + 90_000).toISOString() };
      expect(await store.addLoginLink(later, { ...command, key: "link" })).toEqual({
        ...added,
        replayed: true,
      });
      await store.redeemLoginLink("l1", { id: "lgn_1", hash: "h2", device: "d", ttlMs: 60_000 });
      const rule = { id: "rul_1", profile: "p", tool: "shell", match: "*", decision: "allow" as const };
      await store.addRule(rule);

      const verbs: [string, (key: Command) => Promise<unknown>][] = [
        ["arrange", (key) => store.arrangeSession("ses_a", { pinned: true }, key)],
        ["token", (key) => store.revokeToken("tok_1", key)],
        ["login", (key) => store.revokeLogin("lgn_1", key)],
        ["rule", (key) => store.removeRule("rul_1", key)],
        ["session", (key) => store.deleteSession("ses_a", { force: false }, key)],
      ];
      for (const [key, carryOut] of verbs) {
        expect([key, await carryOut({ ...command, key })]).toEqual([key, { ok: true }]);
        if (key === "arrange") await store.arrangeSession("ses_a", { pinned: false });
        expect([key, await carryOut({ ...command, key })]).toEqual([key, { ok: true, replayed: true }]);
        expect((await store.session("ses_a", "owner"))?.pinned ?? false).toBe(false);
        expect(await carryOut({ ...command, key, digest: "d2" })).toEqual({ ok: false, code: "key_reused" });
      }
    });

    it("keeps what had nothing to write, and what is kept under it already", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      const nothing = { ok: true, position: formatPosition(1, 0), note: null, changed: false } as const;
      const kept = await Promise.all([0, 1, 2].map(() => store.keep(command, nothing)));
      expect(kept.filter((each) => !("replayed" in each))).toEqual([nothing]);
      expect(await store.keep(command, { ...nothing, changed: true })).toEqual({
        ...nothing,
        replayed: true,
      });
      expect(await store.append("ses_a", [prompt("inp_1")], keyed())).toEqual({ ...nothing, replayed: true });
      expect(await store.recall(command)).toEqual({ ...nothing, replayed: true });
      expect(await store.keep({ ...command, digest: "d2" }, nothing)).toEqual({
        ok: false,
        code: "key_reused",
      });
      expect(await readAll(store, "ses_a")).toHaveLength(1);
    });

    it("of the keeper is good for one append, however late it comes again", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      await makeSession(store, "ses_b");
      const keeper: Writer = { by: "keeper", keeper: "processes", key: "exit:prc_1" };
      const first = await store.append("ses_a", [notice("exited")], keeper);
      const kept = { ok: true, position: formatPosition(2, 0) };
      expect(first).toMatchObject(kept);
      expect(await store.append("ses_a", [notice("exited")], keeper)).toEqual({ ...kept, replayed: true });
      // The lineage's head has moved on meanwhile, but the fact is written.
      expect(await store.append("ses_b", [notice("exited")], keeper)).toEqual({ ...kept, replayed: true });
      clock.advance(COMMAND_KEPT_MS * 2);
      await store.tidy();
      expect(await store.append("ses_a", [notice("exited")], keeper)).toEqual({ ...kept, replayed: true });
      expect(await readAll(store, "ses_a")).toHaveLength(2);
    });

    it("is forgotten by tidy once its time is over, and not before", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      await store.append("ses_a", [prompt("inp_1")], keyed());
      clock.advance(COMMAND_KEPT_MS - 60_000);
      await store.tidy();
      expect(await store.append("ses_a", [prompt("inp_1")], keyed())).toMatchObject({ replayed: true });
      clock.advance(120_000);
      await store.tidy();
      expect(await store.append("ses_a", [prompt("inp_2")], keyed())).toEqual({
        ok: true,
        position: formatPosition(3, 0),
        at: clock.iso(),
      });
    });

    it("does not stand in the way of a name that is taken", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      expect(await store.createSession({ id: "ses_a", profile: "p" }, anna, command)).toEqual({
        ok: false,
        code: "exists",
      });
      expect(await store.createSession({ id: "ses_b", profile: "p" }, anna, command)).toMatchObject({
        ok: true,
      });
      expect(await store.append("ses_a", [notice("unkeyed")], byOwner)).toMatchObject({ ok: true });
    });
  });
});
