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
import {
  byOwner,
  delivered,
  ended,
  makeSession,
  notice,
  owner,
  prompt,
  readAll,
  row,
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
        usage: { inputTokens: 0, outputTokens: 0, cost: 0, unpricedTokens: 0 },
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
