import { describe, expect, it } from "vitest";
import { returnDelegate } from "../../src/executor/return-delegate.ts";
import { tellGone } from "../../src/keeper/tell-gone.ts";
import { formatPosition, type Position } from "../../src/session/position.ts";
import type { Store } from "../../src/store/store.ts";
import { byOwner, owner } from "./samples.ts";
import { forEachStore } from "./stores.ts";

forEachStore((harness) => {
  describe("whoever waits for a delegate in which a person went back, twice", () => {
    it("learns that its last successor was deleted", async () => {
      const store = await waiting();
      await remove(store, "ses_last");
      await expectReturned(store, "stopped");
    });

    it("learns that both were, whichever went first", async () => {
      const store = await waiting();
      await remove(store, "ses_next");
      await remove(store, "ses_last");
      await expectReturned(store, "stopped");
    });

    it("goes on waiting for the last one when only the one between them was", async () => {
      const store = await waiting();
      await remove(store, "ses_next");
      expect((await store.view("ses_parent"))?.delegates).toHaveLength(1);
      const end = async () => ({ outcome: "completed", text: "Done." }) as const;
      await returnDelegate(store, "ses_last", "ses_parent", end);
      await expectReturned(store, "completed");
    });

    it("takes the last one along into its own successor when only the one between them was deleted", async () => {
      const store = await waiting();
      await remove(store, "ses_next");
      await goBack(store, "ses_parent", "ses_again");
      expect(await store.session("ses_last", "")).toMatchObject({ origin: { session: "ses_again" } });
    });

    it("goes on waiting in its own successor when a person goes back in it as well, and it is deleted", async () => {
      const store = await waiting();
      const titled = await store.append(
        "ses_parent",
        [{ type: "session_titled", data: { title: "x" } }],
        byOwner,
      );
      if (!titled.ok) throw new Error(titled.code);
      await goBack(store, "ses_parent", "ses_again", titled.position);
      await remove(store, "ses_parent");
      for (const id of ["ses_child", "ses_next", "ses_last"])
        expect(await store.session(id, "")).toMatchObject({ origin: { session: "ses_again" } });
      const end = async () => ({ outcome: "completed", text: "Done." }) as const;
      await returnDelegate(store, "ses_last", "ses_again", end);
      await expectReturned(store, "completed", "ses_again");
    });

    it("is not told anything in a successor that goes on from before it delegated", async () => {
      const store = await waiting();
      await goBack(store, "ses_parent", "ses_again");
      const end = async () => ({ outcome: "completed", text: "Done." }) as const;
      await returnDelegate(store, "ses_last", "ses_again", end);
      const facts = await store.events("ses_again", formatPosition(1, 0), 100, "facts");
      expect(facts.map(({ type }) => type)).toEqual(["session_forked", "notice"]);
    });

    it("is not told of a delegate that still works when another is deleted", async () => {
      const store = await waiting();
      await delegate(store, "ses_other");
      await remove(store, "ses_other");
      const { delegates } = (await store.view("ses_parent")) ?? {};
      expect(delegates?.map(({ session }) => session)).toEqual(["ses_child"]);
    });
  });

  /** For the delegate, whose second successor works for it. */
  async function waiting(): Promise<Store> {
    const store = await harness.open();
    await store.createSession({ id: "ses_parent", profile: "default" }, owner);
    await delegate(store, "ses_child");
    await goBack(store, "ses_child", "ses_next");
    await goBack(store, "ses_next", "ses_last");
    return store;
  }
});

async function delegate(store: Store, id: string): Promise<void> {
  const origin = { kind: "delegation", session: "ses_parent" } as const;
  await store.createSession({ id, profile: "default", origin }, owner);
  const delegated = { session: id, call: `call_${id}`, background: false };
  await store.append("ses_parent", [{ type: "delegated", data: delegated }], byOwner);
}

async function goBack(
  store: Store,
  from: string,
  id: string,
  at: Position = formatPosition(1, 0),
): Promise<void> {
  const view = await store.view(from);
  if (!view) throw new Error(`${from} is gone`);
  const back = { from, id, at, view, reason: "undone", first: [] };
  expect(await store.succeedSession(back, owner)).toMatchObject({ ok: true });
}

/** With all that the timers have done for it, twice. */
async function remove(store: Store, id: string): Promise<void> {
  expect(await store.deleteSession(id, { force: true })).toEqual({ ok: true });
  for (const timer of await store.dueTimers(10)) {
    await tellGone(store, timer);
    await tellGone(store, timer);
    await store.clearTimer(timer.key);
  }
}

async function expectReturned(store: Store, outcome: string, parent = "ses_parent"): Promise<void> {
  const facts = await store.events(parent, formatPosition(1, 0), 100, "facts");
  expect(facts.filter(({ type }) => type === "delegate_returned")).toMatchObject([
    { data: { session: "ses_child", outcome } },
  ]);
  expect((await store.view(parent))?.delegates).toEqual([]);
}
