import { describe, expect, it } from "vitest";
import type { SessionFilter, Store } from "../../src/store/store.ts";
import { ended, makeSession, owner, prompt, row, write } from "./samples.ts";
import { forEachStore } from "./stores.ts";

describe("the session list", () => {
  forEachStore(({ open, clock }) => {
    it("has pinned sessions first, then the newest change, and is paged without gaps or repeats", async () => {
      const store = await open();
      for (let n = 0; n < 23; n++) {
        await makeSession(store, `ses_${String(n).padStart(2, "0")}`);
        if (n % 3 === 0) clock.advance(1_000); // some change at the same moment
      }
      await store.arrangeSession("ses_05", { pinned: true });
      await store.arrangeSession("ses_11", { pinned: true });
      clock.advance(1_000);
      await write(store, "ses_02", prompt("inp_1"));
      const whole = await ids(store, { limit: 100 });
      expect(whole).toHaveLength(23);
      expect(whole.slice(0, 3)).toEqual(["ses_11", "ses_05", "ses_02"]);
      const rest = whole.slice(3);
      expect(rest).toEqual(rest.toSorted().toReversed());
      for (const limit of [1, 4, 23]) expect(await idsByPage(store, { limit })).toEqual(whole);
    });

    it("is not disturbed by a session that moves up while somebody pages", async () => {
      const store = await open();
      for (let n = 0; n < 6; n++) {
        await makeSession(store, `ses_${n}`);
        clock.advance(1_000);
      }
      const first = await store.sessions({ limit: 3 }, "owner");
      await write(store, "ses_0", prompt("inp_1"));
      const second = await store.sessions({ limit: 3, after: first.next! }, "owner");
      expect(first.items.map(({ id }) => id)).toEqual(["ses_5", "ses_4", "ses_3"]);
      expect(second.items.map(({ id }) => id)).toEqual(["ses_2", "ses_1"]);
    });

    it("is filtered by status, lane, profile, archive and words of the title", async () => {
      const store = await open();
      await makeSession(store, "ses_a", {
        title: "Fix the Größe of buttons",
        profile: "coder",
        lane: "web:inbox",
      });
      await makeSession(store, "ses_b", {
        title: "Write a letter",
        profile: "writer",
        first: [prompt("inp_1")],
      });
      await makeSession(store, "ses_c", { title: "fix_me later", profile: "coder" });
      await makeSession(store, "ses_d");
      await store.arrangeSession("ses_c", { archived: true });
      const found = async (filter: Partial<SessionFilter>) =>
        (await ids(store, { limit: 10, ...filter })).toSorted();
      expect(await found({ status: "queued" })).toEqual(["ses_b"]);
      expect(await found({ lane: "web:inbox" })).toEqual(["ses_a"]);
      expect(await found({ profile: "coder" })).toEqual(["ses_a", "ses_c"]);
      expect(await found({ profile: "coder", archived: false })).toEqual(["ses_a"]);
      expect(await found({ archived: true })).toEqual(["ses_c"]);
      expect(await found({ q: "FIX" })).toEqual(["ses_a", "ses_c"]);
      expect(await found({ q: "grosse" })).toEqual([]);
      expect(await found({ q: "große butt" })).toEqual(["ses_a"]);
      expect(await found({ q: "grosse letter" })).toEqual([]);
      for (const q of ["%", '"', "\0", " ?! "]) expect(await found({ q })).toEqual([]); // no title has such a word
      for (const q of ["", "  "]) expect(await found({ q })).toHaveLength(4); // asks for nothing
      expect(await found({ q: "etter" })).toEqual([]);
    });

    it("shows heads of lineages and forks, and on request all the rest", async () => {
      const store = await open();
      for (const id of ["ses_a", "ses_b"]) await makeSession(store, id);
      await write(store, "ses_a", ended("ses_b"));
      await makeSession(store, "ses_task", { origin: { kind: "task", session: "ses_b" } });
      await makeSession(store, "ses_child", { origin: { kind: "delegation", session: "ses_b" } });
      await store.forkSession("ses_b", undefined, "ses_fork", owner);
      expect((await ids(store, { limit: 10 })).toSorted()).toEqual(["ses_b", "ses_fork"]);
      expect(await ids(store, { limit: 10, heads: false })).toHaveLength(5);
      expect((await idsByPage(store, { limit: 2, heads: false })).toSorted()).toEqual(
        (await ids(store, { limit: 10, heads: false })).toSorted(),
      );
    });

    it("has those that have ended where they are asked for, and any session by how its id begins", async () => {
      const store = await open();
      for (const id of ["ses_01a", "ses_01b"]) await makeSession(store, id);
      await write(store, "ses_01a", ended("ses_01b"));
      await makeSession(store, "ses_02", { origin: { kind: "delegation", session: "ses_01b" } });
      expect(await ids(store, { status: "ended", limit: 10 })).toEqual(["ses_01a"]);
      expect(await ids(store, { status: "ended", heads: true, limit: 10 })).toEqual([]);
      const found = async (id: string) => (await ids(store, { id, limit: 10 })).toSorted();
      expect(await found("ses_01")).toEqual(["ses_01a", "ses_01b"]);
      expect(await found("ses_01a")).toEqual(["ses_01a"]);
      expect(await found("ses_02")).toEqual(["ses_02"]);
      expect(await found("ses_")).toHaveLength(3);
      for (const nobody of ["ses_03", "es_01", "ses_01a0", "%", "ses%"])
        expect(await found(nobody)).toEqual([]);
    });

    it("gives single rows in the order asked for, without those that are not there", async () => {
      const store = await open();
      for (const id of ["ses_a", "ses_b", "ses_c"]) await makeSession(store, id);
      const rows = await store.sessionsById(["ses_c", "ses_none", "ses_a"], "owner");
      expect(rows.map(({ id }) => id)).toEqual(["ses_c", "ses_a"]);
      expect(rows[0]).toEqual(await row(store, "ses_c"));
    });
  });
});

async function ids(store: Store, filter: SessionFilter): Promise<string[]> {
  return (await store.sessions(filter, "owner")).items.map(({ id }) => id);
}

async function idsByPage(store: Store, filter: SessionFilter): Promise<string[]> {
  const all: string[] = [];
  let after: string | null = null;
  do {
    const page = await store.sessions(after === null ? filter : { ...filter, after }, "owner");
    expect(page.items.length).toBeLessThanOrEqual(filter.limit);
    all.push(...page.items.map(({ id }) => id));
    after = page.next;
  } while (after !== null);
  return all;
}
