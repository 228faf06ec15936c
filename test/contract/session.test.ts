import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { logFrom } from "../../src/session/arbitrary-log.ts";
import type { NewEvent } from "../../src/session/event.ts";
import {
  attentionOf,
  changedRow,
  EMPTY_ROW,
  rowChange,
  statusOf,
  type Status,
} from "../../src/session/row.ts";
import type { SessionFilter, Store } from "../../src/store/store.ts";
import {
  byOwner,
  claim,
  delivered,
  ended,
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

describe("a session's row", () => {
  forEachStore(({ open, clock }) => {
    it("says what the session was made with", async () => {
      const store = await open();
      const made = await makeSession(store, "ses_a", {
        profile: "coder",
        title: "Fix it",
        workspace: "/work",
        lane: "web:inbox",
        model: "local/qwen3",
        origin: { kind: "task", session: "ses_0" },
        first: [prompt("inp_1")],
      });
      expect(made).toEqual({
        id: "ses_a",
        title: "Fix it",
        profile: "coder",
        workspace: "/work",
        lane: "web:inbox",
        model: "local/qwen3",
        status: "queued",
        attention: null,
        unread: 0,
        messages: 1,
        queued: 1,
        position: "0000000000000002_0000000000000000",
        createdAt: clock.iso(),
        updatedAt: clock.iso(),
        head: "ses_a",
        origin: { kind: "task", session: "ses_0" },
        processes: 0,
        pinned: false,
        archived: false,
        retryAt: null,
        usage: { inputTokens: 0, outputTokens: 0, cost: 0 },
      });
      expect(await store.session("ses_a", "owner")).toEqual(made);
      expect(await store.createSession({ id: "ses_a", profile: "p" }, owner)).toEqual({
        ok: false,
        code: "exists",
      });
      expect(await store.session("ses_none", "owner")).toBeUndefined();
    });

    it("changes in the same append as its facts: whoever saw the fact sees the row", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      await write(store, "ses_a", prompt("inp_1"));
      expect(await row(store, "ses_a")).toMatchObject({ status: "queued", queued: 1, messages: 1 });
      await write(
        store,
        "ses_a",
        { type: "turn_started", data: { turn: "t1", inputs: ["inp_1"] } },
        delivered("inp_1", "t1"),
      );
      expect(await row(store, "ses_a")).toMatchObject({ status: "running", queued: 0 });
      await write(store, "ses_a", {
        type: "ask_opened",
        data: { ask: "ask_1", kind: "approval", title: "Run it?" },
      });
      expect(await row(store, "ses_a")).toMatchObject({
        status: "waiting",
        attention: { kind: "approval", count: 1 },
      });
      await write(store, "ses_a", {
        type: "ask_closed",
        data: { ask: "ask_1", kind: "approval", reason: "expired" },
      });
      await write(store, "ses_a", {
        type: "step_aborted",
        data: { step: "s1", attempt: 1, reason: "429", retryAt: "2026-11-15T10:00:00.000Z" },
      });
      expect(await row(store, "ses_a")).toMatchObject({
        status: "waiting",
        attention: null,
        retryAt: "2026-11-15T10:00:00.000Z",
      });
      await write(store, "ses_a", {
        type: "step_completed",
        data: {
          step: "s1",
          attempt: 2,
          message: [{ type: "text", text: "done" }],
          usage: { inputTokens: 10, outputTokens: 3, cost: 0.25 },
        },
      });
      await write(store, "ses_a", { type: "turn_ended", data: { turn: "t1", outcome: "failed" } });
      expect(await row(store, "ses_a")).toMatchObject({
        status: "idle",
        attention: { kind: "failed", count: 1 },
        retryAt: null,
        usage: { inputTokens: 10, outputTokens: 3, cost: 0.25 },
      });
    });

    it(
      "has the status and counts that the fold of its facts has, whatever they are",
      { timeout: 120_000 },
      async () => {
        const store = await open();
        let made = 0;
        await fc.assert(
          fc.asyncProperty(fc.array(fc.nat(1000), { maxLength: 40 }), async (choices) => {
            const [, ...events] = logFrom(choices);
            const id = `ses_${made++}`;
            await makeSession(store, id, { title: "A log" });
            let state = { ...EMPTY_ROW, title: "A log" as string | null };
            for (const event of events) {
              const change = rowChange([event]);
              if (change) state = changedRow(state, change);
            }
            for (let from = 0; from < events.length; from += 3)
              await store.append(id, events.slice(from, from + 3), byOwner);
            const stored = await row(store, id);
            expect(stored).toMatchObject({
              status: statusOf(state),
              attention: attentionOf(state),
              title: state.title,
              model: state.model,
              messages: state.messages,
              queued: state.queued,
              retryAt: state.retryAt,
            });
            expect(stored.usage.inputTokens).toBe(state.inputTokens);
          }),
          { numRuns: 25 },
        );
      },
    );

    it("has each status that there is", async () => {
      const store = await open();
      const turn: NewEvent = { type: "turn_started", data: { turn: "t1", inputs: [] } };
      const cases: Record<Status, NewEvent[]> = {
        idle: [notice("x")],
        queued: [prompt("inp_1")],
        running: [turn],
        waiting: [turn, { type: "ask_opened", data: { ask: "a", kind: "clarify", title: "?" } }],
        recovering: [turn, { type: "executor_lost", data: { epoch: 1 } }],
        ended: [turn, ended()],
      };
      for (const [status, events] of Object.entries(cases)) {
        await makeSession(store, `ses_${status}`);
        await write(store, `ses_${status}`, ...events);
        expect((await row(store, `ses_${status}`)).status).toBe(status);
      }
      await makeSession(store, "ses_held", { first: [prompt("inp_1")] });
      await write(store, "ses_held", { type: "queue_held", data: { reason: "stopped" } });
      expect((await row(store, "ses_held")).status).toBe("idle");
      expect(await store.overview()).toMatchObject({
        sessions: { idle: 2, queued: 1, running: 1, waiting: 1, recovering: 1, ended: 1 },
        asks: 1,
      });
    });

    it("moves up with what a person would want to see, and not with a skipped reset", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      const before = await row(store, "ses_a");
      clock.advance(60_000);
      await write(store, "ses_a", { type: "reset_skipped", data: { reasons: ["process 1"] } });
      await store.arrangeSession("ses_a", { pinned: true });
      expect((await row(store, "ses_a")).updatedAt).toBe(before.updatedAt);
      await write(store, "ses_a", prompt("inp_1"));
      expect((await row(store, "ses_a")).updatedAt).toBe(clock.iso());
      expect((await row(store, "ses_a")).createdAt).toBe(before.createdAt);
    });

    it("is arranged without a trace in the log, also after the session's end", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      await write(store, "ses_a", ended());
      expect(await store.arrangeSession("ses_a", { pinned: true })).toEqual({ ok: true });
      expect(await row(store, "ses_a")).toMatchObject({ pinned: true, archived: false });
      expect(await store.arrangeSession("ses_a", { archived: true, pinned: false })).toEqual({ ok: true });
      expect(await row(store, "ses_a")).toMatchObject({ pinned: false, archived: true });
      expect(await store.arrangeSession("ses_none", { pinned: true })).toEqual({
        ok: false,
        code: "not_found",
      });
      expect(await readAll(store, "ses_a")).toHaveLength(2);
    });

    it("names the head of its lineage", async () => {
      const store = await open();
      for (const id of ["ses_a", "ses_b", "ses_c"]) await makeSession(store, id);
      expect((await row(store, "ses_a")).head).toBe("ses_a");
      await write(store, "ses_a", ended("ses_b"));
      expect((await row(store, "ses_a")).head).toBe("ses_b");
      await write(store, "ses_b", ended("ses_c"));
      expect((await row(store, "ses_a")).head).toBe("ses_c");
      expect((await row(store, "ses_b")).head).toBe("ses_c");
      expect((await row(store, "ses_c")).head).toBe("ses_c");
    });
  });
});

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
      expect(await found({ q: "%" })).toHaveLength(4); // no word at all asks for nothing
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

    it("gives single rows in the order asked for, without those that are not there", async () => {
      const store = await open();
      for (const id of ["ses_a", "ses_b", "ses_c"]) await makeSession(store, id);
      const rows = await store.sessionsById(["ses_c", "ses_none", "ses_a"], "owner");
      expect(rows.map(({ id }) => id)).toEqual(["ses_c", "ses_a"]);
      expect(rows[0]).toEqual(await row(store, "ses_c"));
    });
  });
});

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
      expect(await ids(store, { limit: 10 })).toEqual(["ses_b"]);
      expect((await store.search("unicorn", 10)).map(({ session }) => session)).toEqual(["ses_b", "ses_b"]);
      expect((await store.dueTimers(10)).map(({ key }) => key)).toEqual(["timer:ses_b"]);
      expect((await store.overview()).leases.map(({ log }) => log)).toEqual(["ses_b"]);
      expect(await store.append("ses_a", [notice("late")], byOwner)).toEqual({
        ok: false,
        code: "not_found",
      });
      expect(await readAll(store, "ses_b")).toHaveLength(3);
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
