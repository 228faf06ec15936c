import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { logFrom } from "../../src/session/arbitrary-log.ts";
import type { NewEvent, NewFact, Usage } from "../../src/session/event.ts";
import { START } from "../../src/session/position.ts";
import {
  LoggedUsage,
  NO_COUNT,
  thenUsage,
  type UsageChange,
  type UsageCount,
} from "../../src/session/usage-changes.ts";
import type { Store, UsageBy, UsageFilter } from "../../src/store/store.ts";
import { anna, byOwner, makeSession, row, stepCompleted, stepStarted, write } from "./samples.ts";
import { forEachStore } from "./stores.ts";

const DAY_MS = 86_400_000;
/** The day on which a test's clock begins. */
const FIRST = "2026-11-15";

describe("what was used", () => {
  forEachStore(({ open, another, clock }) => {
    it("is told by day, model, profile and session, with all that steps record of it", async () => {
      const store = await open();
      await makeSession(store, "ses_a", { title: "First" });
      await makeSession(store, "ses_b", { profile: "coder" });
      await write(
        store,
        "ses_a",
        step("m1", { inputTokens: 100, outputTokens: 10, cachedTokens: 40, cost: 0.5 }),
      );
      await write(
        store,
        "ses_a",
        step("m2", { inputTokens: 1, outputTokens: 2, reasoningTokens: 1, cost: 0.25 }),
      );
      clock.advance(DAY_MS);
      await write(store, "ses_b", step("m1", { inputTokens: 200, outputTokens: 20, cost: 1 }));
      const { total, uncounted } = await report(store);
      expect(uncounted).toBe(0);
      expect(total).toEqual({
        steps: 3,
        inputTokens: 301,
        cachedTokens: 40,
        outputTokens: 32,
        reasoningTokens: 1,
        cost: 1.75,
        unpricedSteps: 0,
        unpricedTokens: 0,
      });
      expect(await told(store, "day")).toEqual([
        ["2026-11-16", 1, 200, 20, 1],
        [FIRST, 2, 101, 12, 0.75],
      ]);
      expect(await told(store, "model")).toEqual([
        ["m1", 2, 300, 30, 1.5],
        ["m2", 1, 1, 2, 0.25],
      ]);
      expect(await told(store, "profile")).toEqual([
        ["coder", 1, 200, 20, 1],
        ["default", 2, 101, 12, 0.75],
      ]);
      expect(await told(store, "session")).toEqual([
        ["ses_b", 1, 200, 20, 1],
        ["ses_a", 2, 101, 12, 0.75],
      ]);
      const { rows } = await report(store, { by: "session" });
      expect(rows.items.map(({ title, deleted }) => [title, deleted])).toEqual([
        [null, false],
        ["First", false],
      ]);
    });

    it("has no cost where no price was known, a cost of the rest where one was, and nothing where nothing was used", async () => {
      const store = await open();
      expect((await report(store)).total).toEqual(NO_COUNT);
      await makeSession(store, "ses_a");
      expect((await row(store, "ses_a")).usage).toMatchObject({ cost: 0, unpricedTokens: 0 });
      await write(store, "ses_a", step("unknown", { inputTokens: 10, outputTokens: 5 }));
      const unpriced = { cost: null, unpricedTokens: 15 };
      expect((await report(store)).total).toMatchObject({ ...unpriced, unpricedSteps: 1 });
      expect((await row(store, "ses_a")).usage).toEqual({ inputTokens: 10, outputTokens: 5, ...unpriced });
      await write(store, "ses_a", step("free", { inputTokens: 7, outputTokens: 0, cost: 0 }));
      await write(store, "ses_a", step("dear", { inputTokens: 1, outputTokens: 1, cost: 2 }));
      expect((await report(store)).total).toMatchObject({ cost: 2, unpricedTokens: 15, unpricedSteps: 1 });
      expect((await row(store, "ses_a")).usage).toMatchObject({ cost: 2, unpricedTokens: 15 });
      expect((await store.view("ses_a"))?.usage).toMatchObject({ cost: 2, unpricedTokens: 15 });
      expect((await told(store, "model")).map(([model, , , , cost]) => [model, cost])).toEqual([
        ["unknown", null],
        ["free", 0],
        ["dear", 2],
      ]);
    });

    it("counts a step of which nobody told the tokens or the model, and a summary that a model gave", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      await write(store, "ses_a", stepCompleted("s1", "hello"), {
        type: "context_compacted",
        data: {
          summary: "so far",
          covers: START,
          method: "model",
          model: "m",
          usage: { inputTokens: 9, outputTokens: 1, cost: 3 },
        },
      });
      await write(store, "ses_a", {
        type: "context_compacted",
        data: { summary: "an extract", covers: START, method: "fallback" },
      });
      expect(await told(store, "model")).toEqual([
        ["m", 1, 9, 1, 3],
        ["", 1, 0, 0, null],
      ]);
    });

    it("counts every step of appends that come at once, to one session and to many", async () => {
      const store = await open();
      const sessions = ["ses_a", "ses_b", "ses_c"];
      for (const session of sessions) await makeSession(store, session);
      await Promise.all(
        Array.from({ length: 60 }, (_, n) =>
          write(
            store,
            sessions[n % 3] as string,
            step(n % 2 ? "m1" : "m2", { inputTokens: n, outputTokens: 1, cost: 1 }),
          ),
        ),
      );
      expect((await report(store)).total).toMatchObject({
        steps: 60,
        inputTokens: 1770,
        outputTokens: 60,
        cost: 60,
      });
      expect((await told(store, "session")).map(([, steps]) => steps)).toEqual([20, 20, 20]);
    });

    it("counts nothing of an append that is refused or repeated", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      const used = step("m", { inputTokens: 1, outputTokens: 1, cost: 1 });
      const command = { scope: "owner", key: "k", digest: "d" };
      for (let n = 0; n < 2; n++)
        await store.append("ses_a", [used], { by: "client", author: anna, command });
      expect(await store.append("ses_a", [used], byOwner, { expectSeq: 1 })).toMatchObject({ ok: false });
      expect((await report(store)).total.steps).toBe(1);
    });

    it("counts a step once, however often its session is forked, succeeded or brought in", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      const used = step("m", { inputTokens: 10, outputTokens: 5 });
      await write(store, "ses_a", stepStarted("s1"), used, turnEnded);
      const facts = await store.events("ses_a", START, 100);
      expect(await store.forkSession("ses_a", undefined, "ses_f", anna)).toMatchObject({ ok: true });
      const into = await store.beginImport("ses_i");
      for (const fact of facts) await into.addEvent(fact);
      expect(await into.finish({ from: "ses_a" }, anna)).toMatchObject({ ok: true });
      const view = (await store.view("ses_a"))!;
      const at = view.position;
      await store.succeedSession({ from: "ses_a", view, at, id: "ses_s", reason: "reset", first: [] }, anna);
      expect((await report(store)).total.steps).toBe(1);
      expect((await row(store, "ses_f")).usage).toMatchObject({ inputTokens: 0, cost: 0, unpricedTokens: 0 });
      // What was used elsewhere is still the session's own, though it is none of what was used here.
      expect((await row(store, "ses_i")).usage).toMatchObject({
        inputTokens: 10,
        cost: null,
        unpricedTokens: 15,
      });
      for (const session of ["ses_f", "ses_i", "ses_s"]) await write(store, session, used);
      expect((await told(store, "session")).map(([session, steps]) => [session, steps])).toEqual([
        ["ses_a", 1],
        ["ses_f", 1],
        ["ses_i", 1],
        ["ses_s", 1],
      ]);
    });

    it("stays when its session is deleted", async () => {
      const store = await open();
      await makeSession(store, "ses_a", { title: "Gone", profile: "coder" });
      await write(store, "ses_a", step("m", { inputTokens: 10, outputTokens: 5, cost: 1 }));
      expect(await store.deleteSession("ses_a", { force: true })).toEqual({ ok: true });
      const later = await another(store);
      const { total, rows } = await report(later, { by: "session", profile: "coder" });
      expect(total).toMatchObject({ steps: 1, cost: 1 });
      expect(rows.items).toMatchObject([{ key: "ses_a", title: null, deleted: true }]);
    });

    it("is filtered by days, sessions, profile and model", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      await makeSession(store, "ses_b", { profile: "coder" });
      for (let n = 0; n < 3; n++) {
        await write(store, "ses_a", step("m1", { inputTokens: 1, outputTokens: 0, cost: 0 }));
        await write(store, "ses_b", step("m2", { inputTokens: 10, outputTokens: 0, cost: 0 }));
        clock.advance(DAY_MS);
      }
      const tokens = async (filter: Partial<UsageFilter>) => (await report(store, filter)).total.inputTokens;
      const first = Date.parse(FIRST) / DAY_MS;
      expect(await tokens({ since: first + 1 })).toBe(22);
      expect(await tokens({ until: first + 1 })).toBe(22);
      expect(await tokens({ since: first + 1, until: first + 1 })).toBe(11);
      expect(await tokens({ sessions: ["ses_a"] })).toBe(3);
      expect(await tokens({ sessions: ["ses_a", "ses_b", "ses_none"] })).toBe(33);
      expect(await tokens({ sessions: [] })).toBe(0);
      expect(await tokens({ profile: "coder" })).toBe(30);
      expect(await tokens({ model: "m1", profile: "coder" })).toBe(0);
      expect((await report(store, { by: "day", since: first + 2 })).rows.items).toHaveLength(1);
    });

    it("is paged: each row once, days newest first and all else by its tokens", async () => {
      const store = await open();
      for (let n = 0; n < 7; n++) {
        const session = `ses_${n}`;
        await makeSession(store, session);
        await write(store, session, step(`m${n}`, { inputTokens: n % 3, outputTokens: 1, cost: 0 }));
        clock.advance(DAY_MS);
      }
      for (const by of ["day", "session", "model"] as const) {
        const whole = (await report(store, { by })).rows.items;
        expect(whole).toHaveLength(7);
        const paged = [];
        for (let after: string | null | undefined; after !== null;) {
          const { rows } = await report(store, { by, limit: 2, ...(after !== undefined && { after }) });
          expect(rows.items.length).toBeLessThanOrEqual(2);
          paged.push(...rows.items);
          after = rows.next;
        }
        expect(paged).toEqual(whole);
      }
    });

    it(
      "is what the fold of the facts says, whatever they are and however they are appended",
      { timeout: 120_000 },
      async () => {
        const store = await open();
        let made = 0;
        await fc.assert(
          fc.asyncProperty(fc.array(fc.nat(1000), { maxLength: 40 }), async (choices) => {
            const [, ...events] = logFrom(choices);
            const id = `ses_${made++}`;
            await makeSession(store, id);
            for (let from = 0; from < events.length; from += 3)
              await store.append(id, events.slice(from, from + 3), byOwner);
            const logged = new LoggedUsage();
            for (const event of await store.events(id, START, 1_000)) logged.take(event);
            const { total } = await report(store, { sessions: [id] });
            expect({ ...total, cost: total.cost ?? 0 }).toEqual(sumOf(logged.changes));
            expect((await row(store, id)).usage.unpricedTokens).toBe(logged.unpricedTokens);
          }),
          { numRuns: 25 },
        );
      },
    );
  });
});

function sumOf(changes: readonly UsageChange[]): UsageCount {
  const all = changes.reduce((sum, change) => thenUsage(sum, [{ ...change, day: 0, model: "" }]), NOTHING);
  const { day: _day, model: _model, ...count } = all[0] ?? { ...NO_COUNT, day: 0, model: "" };
  return count;
}

const NOTHING: UsageChange[] = [];
const turnEnded: NewEvent = { type: "turn_ended", data: { turn: "turn_1", outcome: "completed" } };

function step(model: string, usage: Usage): NewFact {
  return {
    type: "step_completed",
    data: { step: "s1", attempt: 1, message: [{ type: "text", text: "hello" }], model, usage },
  };
}

function report(store: Store, filter: Partial<UsageFilter> = {}) {
  return store.usage({ by: "day", limit: 50, ...filter });
}

/** key, steps, tokens in and out, cost */
async function told(store: Store, by: UsageBy): Promise<unknown[][]> {
  const { rows } = await report(store, { by });
  return rows.items.map((item) => [item.key, item.steps, item.inputTokens, item.outputTokens, item.cost]);
}
