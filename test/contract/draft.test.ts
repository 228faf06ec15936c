import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { attemptOf } from "../../src/session/draft.ts";
import { formatPosition, START, type Position } from "../../src/session/position.ts";
import type { LogId, Store } from "../../src/store/store.ts";
import {
  draft,
  makeSession,
  notice,
  positions,
  readAll,
  stepCompleted,
  stepStarted,
  toolFinished,
  write,
} from "./samples.ts";
import { forEachStore } from "./stores.ts";

describe("drafts", () => {
  forEachStore(({ open, another }) => {
    it("go with the fact that carries the whole, and only then", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      await write(store, "ses_a", stepStarted("s1"), draft("s1.1/0", 0, "Hel"));
      await write(store, "ses_a", draft("s1.1/0", 3, "lo"), notice("between"), draft("s1.1/1", 0, "two"));
      expect(await readAll(store, "ses_a")).toHaveLength(6);
      await write(store, "ses_a", stepCompleted("s1", "Hello"));
      await soon(async () => expect(await typesIn(store, "ses_a")).not.toContain("draft"));
      expect(await typesIn(store, "ses_a")).toEqual([
        "session_created",
        "step_started",
        "notice",
        "step_completed",
      ]);
      expect(positions(await readAll(store, "ses_a"))).toEqual(
        [1, 2, 3, 4].map((seq) => formatPosition(seq, 0)),
      );
    });

    it("are left out for one who reads facts, wherever it begins", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      await write(store, "ses_a", stepStarted("s1"), draft("s1.1/0", 0, "Hel"), draft("s1.1/0", 3, "lo"));
      await write(store, "ses_a", notice("between"), draft("s1.1/0", 5, "!"));
      const factsAfter = async (seq: number, sub: number, limit = 10) =>
        positions(await store.events("ses_a", formatPosition(seq, sub), limit, "facts"));
      const [, two, three] = [1, 2, 3].map((seq) => formatPosition(seq, 0));
      expect(await factsAfter(1, 0)).toEqual([two, three]);
      expect(await factsAfter(1, 0, 1)).toEqual([two]);
      expect(await factsAfter(2, 1)).toEqual([three]);
      expect(await factsAfter(3, 0)).toEqual([]);
    });

    it("are read by themselves between two positions, both exclusive, wherever they lie", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      await makeSession(store, "ses_b");
      for (let round = 0; round < 5; round++) {
        const words = Array.from({ length: 300 }, (_, n) => draft(`s${round}.1/0`, n, "x"));
        for (const log of ["ses_a", "ses_b"]) {
          await write(store, log, stepStarted(`s${round}`), ...words.slice(0, 150));
          await write(store, log, notice("between"), ...words.slice(150));
        }
      }
      const all = (await readAll(store, "ses_a")).filter(({ type }) => type === "draft");
      expect(all).toHaveLength(1_500);
      const drafts = (after: Position, before: Position, limit = 2_000) =>
        store.drafts("ses_a", after, before, limit);
      expect(await drafts(START, formatPosition(99, 0))).toEqual(all);
      const within = all.filter(
        ({ position }) => position > formatPosition(4, 0) && position < formatPosition(8, 0),
      );
      expect(within).toHaveLength(600);
      expect(await drafts(formatPosition(4, 0), formatPosition(8, 0))).toEqual(within);
      expect(await drafts(formatPosition(4, 0), formatPosition(8, 0), 7)).toEqual(within.slice(0, 7));
      const [first, last] = [within[1]!.position, within[500]!.position];
      expect(await drafts(first, last)).toEqual(within.slice(2, 500));
      expect(await drafts(formatPosition(4, 0), formatPosition(4, 1))).toEqual([]);
      expect(await store.drafts("ses_none", START, formatPosition(99, 0), 10)).toEqual([]);
    });

    it("of another attempt, another call or another session stay", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      await makeSession(store, "ses_b");
      for (const log of ["ses_a", "ses_b"])
        await write(
          store,
          log,
          stepStarted("s1"),
          draft("s1.1/0", 0, "first attempt"),
          draft("s1.2/0", 0, "second attempt"),
          draft("s1.10/0", 0, "tenth attempt"),
          draft("call_1/0", 0, "output"),
        );
      await write(store, "ses_a", stepCompleted("s1", "second attempt", 2));
      const parts = async (log: string) =>
        (await readAll(store, log)).flatMap(({ type, data }) =>
          type === "draft" ? [(data as { part: string }).part] : [],
        );
      await soon(async () => expect(await parts("ses_a")).toEqual(["s1.1/0", "s1.10/0", "call_1/0"]));
      await write(store, "ses_a", toolFinished("call_1", "output"));
      await soon(async () => expect(await parts("ses_a")).toEqual(["s1.1/0", "s1.10/0"]));
      expect(await parts("ses_b")).toEqual(["s1.1/0", "s1.2/0", "s1.10/0", "call_1/0"]);
    });

    it("are swept by a fact of the same append, and after a restart", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      await write(store, "ses_a", stepStarted("s1"), draft("s1.1/0", 0, "a"), stepCompleted("s1", "a"));
      await soon(async () => expect(await typesIn(store, "ses_a")).not.toContain("draft"));
      await write(store, "ses_a", stepStarted("s2"), draft("s2.1/0", 0, "b"));
      const other = await another(store);
      await write(other, "ses_a", draft("s2.1/0", 1, "c"));
      await write(other, "ses_a", stepCompleted("s2", "bc"));
      const again = await another(other); // on SQLite this one finds what was left
      await soon(async () => expect(await typesIn(again, "ses_a")).not.toContain("draft"));
    });

    it("never give a position twice, though the ones before were swept", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      await write(store, "ses_a", stepStarted("s1"), draft("s1.1/0", 0, "a"));
      const last = await write(store, "ses_a", stepCompleted("s1", "a"), draft("s1.1/0", 0, "late"));
      expect(last).toBe(formatPosition(3, 1));
      expect(await write(store, "ses_a", draft("s1.1/0", 4, "later"))).toBe(formatPosition(3, 2));
      expect((await store.head("ses_a"))?.position).toBe(formatPosition(3, 2));
    });

    it("never lose a word: what was drafted is there until its fact is", { timeout: 60_000 }, async () => {
      const store = await open();
      let made = 0;
      await fc.assert(
        fc.asyncProperty(
          fc.array(
            fc.record({
              step: fc.nat(2),
              text: fc.string({ minLength: 1, maxLength: 4 }),
              done: fc.boolean(),
            }),
            {
              maxLength: 15,
            },
          ),
          async (moves) => {
            const log = `ses_${made++}`;
            await makeSession(store, log);
            const drafted = new Map<string, string>();
            const attempts = [1, 1, 1];
            for (const { step, text, done } of moves) {
              const attempt = attempts[step] ?? 1;
              const owner = attemptOf(`s${step}`, attempt);
              const so_far = drafted.get(owner) ?? "";
              if (done) {
                drafted.delete(owner);
                attempts[step] = attempt + 1;
                await write(store, log, stepCompleted(`s${step}`, so_far, attempt));
              } else {
                drafted.set(owner, so_far + text);
                await write(store, log, draft(`${owner}/0`, so_far.length, text));
              }
              const read = new Map<string, string>();
              for (const { type, data } of await readAll(store, log)) {
                if (type !== "draft") continue;
                const { part, text: piece } = data as { part: string; text: string };
                read.set(part.slice(0, -2), (read.get(part.slice(0, -2)) ?? "") + piece);
              }
              for (const [part, text_so_far] of drafted) expect(read.get(part)).toBe(text_so_far);
            }
          },
        ),
        { numRuns: 15 },
      );
    });
  });
});

/** A fact is there at once; that its drafts go has time. */
function soon(holds: () => Promise<void>): Promise<void> {
  return vi.waitFor(holds, { timeout: 10_000, interval: 20 });
}

async function typesIn(store: Store, log: LogId): Promise<string[]> {
  return (await readAll(store, log)).map(({ type }) => type);
}
