import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { apply } from "../../src/session/apply.ts";
import { logFrom } from "../../src/session/arbitrary-log.ts";
import { formatPosition, START } from "../../src/session/position.ts";
import { emptyView, type View } from "../../src/session/view.ts";
import { SNAPSHOT_FACTS, type Store } from "../../src/store/store.ts";
import { byOwner, draft, makeSession, notice, stepCompleted, stepStarted, write } from "./samples.ts";
import { forEachStore } from "./stores.ts";

describe("a session's view", () => {
  forEachStore(({ open, another }) => {
    it("is the fold of its log, whatever was written", { timeout: 120_000 }, async () => {
      const store = await open();
      let made = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(fc.nat(1000), { maxLength: 60 }), async (choices) => {
          const [, ...events] = logFrom(choices);
          const id = `ses_${made++}`;
          await makeSession(store, id, { title: "A log" });
          for (let from = 0; from < events.length; from += 5)
            await store.append(id, events.slice(from, from + 5), byOwner);
          expect(await store.view(id)).toEqual(await fold(store, id));
        }),
        { numRuns: 15 },
      );
    });

    it("is undefined for a session that is not there", async () => {
      const store = await open();
      expect(await store.view("ses_none")).toBeUndefined();
      expect(await store.snapshot("ses_none")).toBeUndefined();
    });

    it("is snapshotted as the log grows, equal to the fold, also when it goes on from there", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      expect(await store.snapshot("ses_a")).toBeUndefined();
      await write(store, "ses_a", ...facts(SNAPSHOT_FACTS));
      await expect.poll(() => store.snapshot("ses_a")).toBeDefined();
      const snapshot = await store.snapshot("ses_a");
      expect(snapshot!.view.position).toBe(snapshot!.position);
      expect(snapshot!.view).toEqual(await fold(store, "ses_a"));

      await write(store, "ses_a", stepStarted("s"), draft("s.1/0", 0, "on its way"));
      expect(await store.view("ses_a")).toEqual(await fold(store, "ses_a"));
      await write(store, "ses_a", ...facts(SNAPSHOT_FACTS));
      await expect
        .poll(async () => (await store.snapshot("ses_a"))!.position)
        .toBe(formatPosition(2 * SNAPSHOT_FACTS + 2, 0));
      await write(store, "ses_a", stepCompleted("s", "on its way, done"));
      expect(await store.view("ses_a")).toEqual(await fold(store, "ses_a"));
    });

    it("is the same without its snapshots, which come again, be it only because they are missed", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      await write(store, "ses_a", ...facts(SNAPSHOT_FACTS + 20));
      await expect.poll(() => store.snapshot("ses_a")).toBeDefined();
      const with_ = await store.view("ses_a");
      await store.dropSnapshots("ses_a");
      expect(await store.snapshot("ses_a")).toBeUndefined();
      expect(await store.view("ses_a")).toEqual(with_);
      await expect.poll(() => store.snapshot("ses_a")).toMatchObject({ position: with_!.position });
      await store.dropSnapshots("ses_a");
      const other = await another(store);
      expect(await other.view("ses_a")).toEqual(with_);
      await write(other, "ses_a", ...facts(SNAPSHOT_FACTS));
      await expect.poll(() => other.snapshot("ses_a")).toBeDefined();
    });
  });
});

function facts(count: number) {
  return Array.from({ length: count }, (_, n) => notice(`fact ${n}`));
}

/** The view without any snapshot's help. */
async function fold(store: Store, id: string): Promise<View> {
  const view = emptyView();
  while (true) {
    const events = await store.events(id, view.position, 500);
    for (const event of events) expect(apply(view, event).outcome).toBe("applied");
    if (events.length < 500) break;
  }
  expect(view.position).not.toBe(START);
  return view;
}
