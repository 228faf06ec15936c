import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { logFrom } from "../../src/session/arbitrary-log.ts";
import type { AnyEvent, NewEvent } from "../../src/session/event.ts";
import { rowOf } from "../../src/session/fork.ts";
import { formatPosition, seqOf } from "../../src/session/position.ts";
import { statusOf } from "../../src/session/row.ts";
import type { Succession } from "../../src/store/store.ts";
import {
  anna,
  byOwner,
  delivered,
  draft,
  ended,
  makeSession,
  notice,
  owner,
  prompt,
  readAll,
  row,
  stepCompleted,
  stepStarted,
  write,
} from "./samples.ts";
import { forEachStore } from "./stores.ts";

const turn: NewEvent[] = [
  prompt("inp_1", "look for the needle"),
  { type: "turn_started", data: { turn: "turn_1", inputs: ["inp_1"] } },
  delivered("inp_1", "turn_1"),
  stepStarted("s1"),
  {
    type: "step_completed",
    data: {
      step: "s1",
      attempt: 1,
      message: [{ type: "text", text: "found the needle" }],
      usage: { inputTokens: 100, outputTokens: 10 },
    },
  },
];

describe("a fork", () => {
  forEachStore(({ open, clock, another }) => {
    it("has the facts up to its point with their positions, then that it is a fork", async () => {
      const store = await open();
      await makeSession(store, "ses_a", {
        title: "Original",
        profile: "coder",
        workspace: "/work",
        model: "m",
      });
      await write(store, "ses_a", ...turn, {
        type: "turn_ended",
        data: { turn: "turn_1", outcome: "completed" },
      });
      clock.advance(1_000);
      const forked = await store.forkSession("ses_a", undefined, "ses_f", anna);
      expect(forked).toMatchObject({
        ok: true,
        session: {
          id: "ses_f",
          title: "Original",
          profile: "coder",
          workspace: "/work",
          model: "m",
          lane: null,
          status: "idle",
          messages: 2,
          queued: 0,
          head: "ses_f",
          origin: { kind: "fork", session: "ses_a", at: formatPosition(7, 0) },
          createdAt: clock.iso(),
          usage: { inputTokens: 0, outputTokens: 0, cost: 0, unpricedTokens: 0 },
        },
      });
      const [original, copy] = [await readAll(store, "ses_a"), await readAll(store, "ses_f")];
      expect(copy.slice(0, 7)).toEqual(original);
      expect(copy[7]).toMatchObject({
        type: "session_forked",
        position: formatPosition(8, 0),
        by: anna,
        data: { from: "ses_a", at: formatPosition(7, 0) },
      });
      expect(copy).toHaveLength(8);
    });

    it("of a session in a lane is in none, by its row, its view and the list", async () => {
      const store = await open();
      await makeSession(store, "ses_a", { lane: "web:inbox" });
      await store.forkSession("ses_a", undefined, "ses_f", owner);
      await store.forkSession("ses_f", undefined, "ses_g", owner);
      const view = (await store.view("ses_f"))!;
      const at = formatPosition(1, 0); // before it was forked
      const undone: Succession = { from: "ses_f", id: "ses_s", at, view, first: [], reason: "undone" };
      expect(await store.succeedSession(undone, owner)).toMatchObject({ ok: true });
      for (const id of ["ses_f", "ses_g", "ses_s"]) {
        const { lane, origin } = await row(store, id);
        expect(lane).toBeNull();
        expect(origin).toMatchObject({ kind: "fork" });
        expect((await store.view(id))?.meta).toMatchObject({ lane, origin });
      }
      const { items } = await store.sessions({ lane: "web:inbox", limit: 9 }, "owner");
      expect(items.map(({ id }) => id)).toEqual(["ses_a"]);
    });

    it("has every word of the answers that broke off, and no draft of what is whole or goes on", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      const spoken = Array.from({ length: 600 }, (_, n) => draft("s2.1/0", n, "x"));
      const aborted = (step: string): NewEvent => ({
        type: "step_aborted",
        data: { step, attempt: 1, reason: "its server was lost" },
      });
      await write(store, "ses_a", ...turn, stepStarted("s2"), ...spoken.slice(0, 400));
      await write(store, "ses_a", notice("meanwhile"), ...spoken.slice(400), aborted("s2"));
      await write(store, "ses_a", stepStarted("s2", 2), draft("s2.2/0", 0, "whole"));
      await write(store, "ses_a", stepCompleted("s2", "whole", 2)); // on SQLite its draft is still there
      await write(store, "ses_a", stepStarted("s3"), draft("s3.1/0", 0, "half"), aborted("s3"));
      await write(store, "ses_a", stepStarted("s3", 2), draft("s3.2/0", 0, "goes on"));
      expect(await store.forkSession("ses_a", undefined, "ses_f", owner)).toMatchObject({ ok: true });

      const copy = await readAll(store, "ses_f");
      const own = copy.findIndex(({ type }) => type === "session_forked");
      const goneOrGoingOn = new Set(["s2.2/0", "s3.2/0"]);
      const partOf = ({ data }: AnyEvent) => (data as { part?: string }).part ?? "";
      const original = (await readAll(store, "ses_a")).filter((event) => !goneOrGoingOn.has(partOf(event)));
      expect(copy.slice(0, own)).toEqual(original.slice(0, -1)); // all but the start of what goes on
      const steps = async (id: string) =>
        (await store.view(id))?.messages.filter((message) => message.kind === "step");
      expect(await steps("ses_f")).toEqual((await steps("ses_a"))?.slice(0, -1));
      expect((await store.check()).problems).toEqual([]);

      await store.forkSession("ses_f", undefined, "ses_g", owner);
      expect((await readAll(store, "ses_g")).slice(0, own)).toEqual(copy.slice(0, own));
      await store.deleteSession("ses_f", { force: true });
      expect(await readAll(store, "ses_f")).toEqual([]);
    });

    it("moves its point back to the end of a step, and copies no drafts of what follows", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      await write(store, "ses_a", ...turn, stepStarted("s2"), draft("s2.1/0", 0, "half a sent"));
      await store.forkSession("ses_a", undefined, "ses_f", owner);
      const copy = await readAll(store, "ses_f");
      expect(copy.map(({ type }) => type)).toEqual([
        "session_created",
        "input_admitted",
        "turn_started",
        "input_delivered",
        "step_started",
        "step_completed",
        "session_forked",
        "turn_ended",
      ]);
      expect(await row(store, "ses_f")).toMatchObject({ status: "idle" });
    });

    it("at a position has nothing of what came after it", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      const at = await write(store, "ses_a", notice("one"));
      await write(store, "ses_a", notice("two"));
      await store.forkSession("ses_a", at, "ses_f", owner);
      expect((await readAll(store, "ses_f")).map(({ type }) => type)).toEqual([
        "session_created",
        "notice",
        "session_forked",
      ]);
      await write(store, "ses_f", notice("own"));
      expect(await readAll(store, "ses_a")).toHaveLength(3);
      expect(await readAll(store, "ses_f")).toHaveLength(4);
    });

    it("goes on where its original has ended: that is going back", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      await write(store, "ses_a", notice("last"), ended());
      expect(await store.forkSession("ses_a", undefined, "ses_f", owner)).toMatchObject({ ok: true });
      expect(await store.append("ses_f", [notice("on")], byOwner)).toMatchObject({ ok: true });
      expect((await readAll(store, "ses_f")).map(({ type }) => type)).not.toContain("session_ended");
    });

    it("waits for nothing that only its original has: asks, queue and calls are closed", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      await write(
        store,
        "ses_a",
        prompt("inp_1"),
        prompt("inp_2"),
        { type: "turn_started", data: { turn: "turn_1", inputs: ["inp_1"] } },
        delivered("inp_1", "turn_1"),
        { type: "ask_opened", data: { ask: "ask_1", kind: "clarify", title: "Which?" } },
        stepStarted("s1"),
        stepCompleted("s1", "text"),
      );
      await store.forkSession("ses_a", undefined, "ses_f", owner);
      expect(await row(store, "ses_f")).toMatchObject({ status: "idle", attention: null, queued: 0 });
      const view = await store.view("ses_f");
      expect(view).toMatchObject({ asks: [], queue: [], turn: null });
      expect(await row(store, "ses_a")).toMatchObject({ status: "waiting", queued: 1 });
    });

    it("is found by search beside its original, and survives the original's deletion", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      await write(store, "ses_a", ...turn);
      const { blob } = await store.putBlob("ses_a", Buffer.from("a long text"));
      await store.forkSession("ses_a", undefined, "ses_f", owner);
      const found = async () =>
        (await store.search({ q: "needle", limit: 10 })).items.map(({ session }) => session);
      expect(new Set(await found())).toEqual(new Set(["ses_a", "ses_f"]));
      const before = await readAll(store, "ses_f");
      await store.deleteSession("ses_a", { force: true });
      await store.tidy();
      expect(await readAll(store, "ses_f")).toEqual(before);
      expect(new Set(await found())).toEqual(new Set(["ses_f"]));
      expect((await store.blob(blob))?.toString()).toBe("a long text");
    });

    it("of what is not there, or at a place that is not there, is refused", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      await store.createLog("tsk_1", "task", [notice("task")], owner);
      expect(await store.forkSession("ses_none", undefined, "ses_f", owner)).toEqual({
        ok: false,
        code: "not_found",
      });
      expect(await store.forkSession("tsk_1", undefined, "ses_f", owner)).toEqual({
        ok: false,
        code: "not_found",
      });
      expect(await store.forkSession("ses_a", formatPosition(9, 0), "ses_f", owner)).toEqual({
        ok: false,
        code: "moved",
        position: formatPosition(1, 0),
      });
      expect(await store.session("ses_f", "owner")).toBeUndefined();
    });

    it(
      "of a long log is whole, and agrees with another fork at the same place",
      { timeout: 60_000 },
      async () => {
        const store = await open();
        await makeSession(store, "ses_a");
        for (let n = 0; n < 3; n++)
          await write(store, "ses_a", ...Array.from({ length: 400 }, (_, m) => notice(`${n} ${m} haystack`)));
        const at = formatPosition(1_100, 0);
        await Promise.all([
          store.forkSession("ses_a", at, "ses_f", owner),
          store.forkSession("ses_a", at, "ses_g", owner),
          write(store, "ses_a", notice("meanwhile")),
        ]);
        const [f, g] = [await readAll(store, "ses_f"), await readAll(store, "ses_g")];
        expect(f).toHaveLength(1_101);
        expect(f).toEqual(g);
        const other = await another(store);
        expect(await readAll(other, "ses_f")).toEqual(f);
        expect((await other.check()).problems).toEqual([]);
      },
    );

    it(
      "has the row that its own facts fold to, whatever it was made from",
      { timeout: 120_000 },
      async () => {
        const store = await open();
        let made = 0;
        await fc.assert(
          fc.asyncProperty(
            fc.array(fc.nat(1000), { minLength: 1, maxLength: 50 }),
            fc.nat(100),
            async (choices, percent) => {
              const [, ...events] = logFrom(choices);
              const [a, f] = [`ses_${made}a`, `ses_${made}f`];
              made += 1;
              await makeSession(store, a, { title: "A log" });
              if (events.length > 0) await store.append(a, events, byOwner);
              const end = seqOf((await row(store, a)).position);
              await store.forkSession(
                a,
                formatPosition(Math.max(1, Math.floor((end * percent) / 100)), 0),
                f,
                owner,
              );
              const view = (await store.view(f))!;
              const expected = rowOf(view);
              expect(view.turn).toBeNull();
              expect(await row(store, f)).toMatchObject({
                status: statusOf(expected),
                title: expected.title,
                messages: expected.messages,
                queued: 0,
                attention: expected.failed ? { kind: "failed" } : null,
              });
            },
          ),
          { numRuns: 25 },
        );
      },
    );

    it("goes on with higher epochs than those of the facts it has copied", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      for (let n = 0; n < 3; n++) {
        const claimed = await store.claimLease("ses_a", 1000);
        expect(claimed).toMatchObject({ ok: true });
        if (claimed.ok) await store.releaseLease(claimed.lease);
      }
      await store.forkSession("ses_a", undefined, "ses_f", owner);
      expect(await store.claimLease("ses_f", 1000)).toMatchObject({
        ok: true,
        lease: { epoch: 4 },
        takeover: false,
      });
    });
  });
});
