import { describe, expect, it } from "vitest";
import { START, type Position } from "../../src/session/position.ts";
import type { Store } from "../../src/store/store.ts";
import { makeSession, notice, owner, positions, readAll, write } from "./samples.ts";
import { forEachStore } from "./stores.ts";

describe("watching", () => {
  forEachStore(({ open, another, dialect }) => {
    it("misses no append: subscribe, then read (invariant 2)", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      const reader = follow(store, "ses_a", 201);
      for (let n = 0; n < 50; n++)
        await Promise.all(Array.from({ length: 4 }, (_, m) => write(store, "ses_a", notice(`${n} ${m}`))));
      expect(await reader).toEqual(positions(await readAll(store, "ses_a")));
    });

    it("hears of what another node appends", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      const writer = await another(store);
      const reading = dialect === "sqlite" ? writer : store;
      const reader = follow(reading, "ses_a", 21);
      for (let n = 0; n < 20; n++) await write(writer, "ses_a", notice(`${n}`));
      expect(await reader).toEqual(positions(await readAll(writer, "ses_a")));
    });

    it("wakes once for what came in a tick, and not for other logs", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      await makeSession(store, "ses_b");
      const aborting = new AbortController();
      const wakes = store.watch("ses_a", aborting.signal);
      await Promise.all([write(store, "ses_b", notice("other")), write(store, "ses_b", notice("other"))]);
      let woken = false;
      const next = wakes.next().then((result) => {
        woken = true;
        return result;
      });
      await write(store, "ses_b", notice("other"));
      expect(woken).toBe(false);
      await write(store, "ses_a", notice("mine"));
      expect(await next).toEqual({ done: false, value: undefined });
      aborting.abort();
      expect((await wakes.next()).done).toBe(true);
    });

    it("lets those who want facts only sleep through this node's drafts", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      const claimed = await store.claimLease("ses_a", 60_000);
      if (!claimed.ok) throw new Error(claimed.code);
      const aborting = new AbortController();
      const wakes = store.watch("ses_a", aborting.signal, "facts");
      let woken = 0;
      const next = wakes.next().then(() => (woken += 1));
      for (let n = 0; n < 3; n++) {
        const draft = { part: "step.1/0", kind: "text", offset: n, text: "x" } as const;
        const writer = { by: "executor", lease: claimed.lease } as const;
        expect(await store.append("ses_a", [{ type: "draft", data: draft }], writer)).toMatchObject({
          ok: true,
        });
      }
      expect(woken).toBe(0);
      await write(store, "ses_a", notice("a fact"));
      await next;
      expect(woken).toBe(1);
      aborting.abort();
    });

    it("ends with its signal, also while it waits, and with the store", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      const aborting = new AbortController();
      const waiting = store.watch("ses_a", aborting.signal).next();
      const changes = store.changes(aborting.signal).next();
      aborting.abort();
      expect((await waiting).done).toBe(true);
      expect((await changes).done).toBe(true);
      expect((await store.watch("ses_a", AbortSignal.abort()).next()).done).toBe(true);

      const open2 = store.watch("ses_a", new AbortController().signal);
      await store.close();
      let last = await open2.next();
      while (!last.done) last = await open2.next();
      expect(last.done).toBe(true);
    });

    it("names the logs that changed, for lists: appended to, made, arranged, deleted", async () => {
      const store = await open();
      const aborting = new AbortController();
      const changes = store.changes(aborting.signal);
      const changed = async (id: string) => {
        for await (const ids of changes) if (ids.has(id)) return id;
        return undefined;
      };
      const steps: [string, () => Promise<unknown>][] = [
        ["ses_a", () => makeSession(store, "ses_a")],
        ["ses_a", () => write(store, "ses_a", notice("x"))],
        ["ses_a", () => store.arrangeSession("ses_a", { pinned: true })],
        ["ses_b", () => store.forkSession("ses_a", undefined, "ses_b", owner)],
        ["ses_a", () => store.deleteSession("ses_a", { force: true })],
      ];
      for (const [id, step] of steps) {
        const [heard] = await Promise.all([nextOf(changes, id), step()]);
        expect(heard).toBe(id);
      }
      aborting.abort();
      expect(await changed("ses_a")).toBeUndefined();
    });
  });
});

async function nextOf(
  changes: AsyncIterableIterator<ReadonlySet<string>>,
  id: string,
): Promise<string | undefined> {
  while (true) {
    const { done, value } = await changes.next();
    if (done) return undefined;
    if ((value as ReadonlySet<string>).has(id)) return id;
  }
}

/** As an attached reader does: reads until it has `count` events, waiting for a wake whenever there is nothing new. */
async function follow(store: Store, log: string, count: number): Promise<Position[]> {
  const aborting = new AbortController();
  const wakes = store.watch(log, aborting.signal);
  const read: Position[] = [];
  let after: Position = START;
  while (read.length < count) {
    const page = await store.page(log, after, 100_000);
    read.push(
      ...(JSON.parse(`[${page.bytes.toString()}]`) as { position: Position }[]).map(
        (event) => event.position,
      ),
    );
    after = page.last;
    if (page.count === 0 && (await wakes.next()).done) break;
  }
  aborting.abort();
  return read;
}
