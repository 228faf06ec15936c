import { describe, expect, it } from "vitest";
import type { NewEvent } from "../../src/session/event.ts";
import { formatPosition } from "../../src/session/position.ts";
import type { Store, Writer } from "../../src/store/store.ts";
import { forEachStore } from "./stores.ts";

const owner = { person: "owner", device: "Firefox on Linux" };
const client: Writer = { by: "client", author: owner };

const approval = (ask: string): NewEvent => ({
  type: "ask_opened",
  data: {
    ask,
    kind: "approval",
    title: "shell: rm -rf build",
    call: "call_1",
    digest: "abc",
    command: "rm -rf build\0",
    cwd: "/work",
    choices: [{ id: "once", label: "Once" }],
  },
});
const clarify = (ask: string): NewEvent => ({
  type: "ask_opened",
  data: { ask, kind: "clarify", title: "which one?", multiple: true },
});
const answered = (ask: string, choice: string): NewEvent => ({
  type: "ask_answered",
  data: { ask, kind: "approval", answer: { choice } },
});
const withdrawn = (ask: string): NewEvent => ({
  type: "ask_closed",
  data: { ask, kind: "clarify", reason: "withdrawn" },
});

async function session(store: Store, id: string, ...first: NewEvent[]): Promise<void> {
  expect(await store.createSession({ id, profile: "default", first }, owner)).toMatchObject({ ok: true });
}

forEachStore((harness) => {
  describe("an ask", () => {
    it("is a row with all that was asked, from the append that opened it", async () => {
      const store = await harness.open();
      await session(store, "ses_a");
      const openedAt = harness.clock.iso();
      await store.append("ses_a", [approval("ask_1")], client);
      expect(await store.ask("ask_1")).toEqual({
        id: "ask_1",
        session: "ses_a",
        kind: "approval",
        title: "shell: rm -rf build",
        call: "call_1",
        command: "rm -rf build\0",
        cwd: "/work",
        digest: "abc",
        choices: [{ id: "once", label: "Once" }],
        multiple: false,
        expires: null,
        openedAt,
        state: "open",
        answer: null,
        closedBy: null,
        closedAt: null,
      });
      expect(await store.ask("ask_2")).toBeUndefined();
    });

    it("is closed once, and keeps who closed it, how and when", async () => {
      const store = await harness.open();
      await session(store, "ses_a", approval("ask_1"), clarify("ask_2"));
      harness.clock.advance(1000);
      const closedAt = harness.clock.iso();
      await store.append("ses_a", [answered("ask_1", "once"), withdrawn("ask_2")], client);
      harness.clock.advance(1000);
      await store.append("ses_a", [answered("ask_1", "deny")], client);
      expect(await store.ask("ask_1")).toMatchObject({
        state: "answered",
        answer: { choice: "once" },
        closedBy: owner,
        closedAt,
      });
      expect(await store.ask("ask_2")).toMatchObject({ state: "withdrawn", answer: null, closedAt });
    });

    it("that is opened and closed by appends of one moment is closed", async () => {
      const store = await harness.open();
      await session(store, "ses_a");
      const lease = await store.claimLease("ses_a", 10_000);
      if (!lease.ok) throw new Error(lease.code);
      const executor: Writer = { by: "executor", lease: lease.lease };
      await Promise.all([
        store.append("ses_a", [approval("ask_1")], executor),
        store.append("ses_a", [answered("ask_1", "once")], executor),
        store.append("ses_a", [clarify("ask_2"), withdrawn("ask_2")], executor),
      ]);
      expect(await store.ask("ask_1")).toMatchObject({ state: "answered", title: "shell: rm -rf build" });
      expect(await store.ask("ask_2")).toMatchObject({ state: "withdrawn", title: "which one?" });
    });

    it("of a refused append is not there", async () => {
      const store = await harness.open();
      await session(store, "ses_a");
      const refused = await store.append("ses_a", [approval("ask_1")], client, { expectSeq: 7 });
      expect(refused).toMatchObject({ ok: false, code: "moved" });
      expect(await store.ask("ask_1")).toBeUndefined();
    });

    it("stays open in its session when a fork closes its copy, and goes with its session", async () => {
      const store = await harness.open();
      await session(
        store,
        "ses_a",
        { type: "input_admitted", data: { input: "inp_1", kind: "prompt", text: "go" } },
        approval("ask_1"),
        { type: "notice", data: { level: "info", text: "whole" } },
      );
      const forked = await store.forkSession("ses_a", undefined, "ses_fork", owner);
      expect(forked).toMatchObject({ ok: true, session: { attention: null } });
      expect(await store.ask("ask_1")).toMatchObject({ session: "ses_a", state: "open" });
      await store.append("ses_fork", [answered("ask_1", "once")], client);
      expect(await store.ask("ask_1")).toMatchObject({ session: "ses_a", state: "open" });
      await store.deleteSession("ses_fork", { force: true });
      expect(await store.ask("ask_1")).toMatchObject({ state: "open" });
      await store.deleteSession("ses_a", { force: true });
      expect(await store.ask("ask_1")).toBeUndefined();
      expect(await store.asks({ limit: 10 })).toEqual({ items: [], next: null });
    });
  });

  describe("the list of asks", () => {
    it("is newest first, in pages, by whether they are open and by session", async () => {
      const store = await harness.open();
      await session(store, "ses_a", approval("ask_1"), approval("ask_3"));
      await session(store, "ses_b", clarify("ask_2"), clarify("ask_4"));
      await store.append("ses_a", [answered("ask_3", "once")], client);
      const ids = async (filter: Parameters<Store["asks"]>[0]) =>
        (await store.asks(filter)).items.map(({ id }) => id);

      const first = await store.asks({ limit: 3 });
      expect(first.items.map(({ id }) => id)).toEqual(["ask_4", "ask_3", "ask_2"]);
      expect(first.next).not.toBeNull();
      expect(await store.asks({ limit: 3, after: first.next ?? "" })).toMatchObject({
        items: [{ id: "ask_1" }],
        next: null,
      });
      expect(await ids({ open: true, limit: 10 })).toEqual(["ask_4", "ask_2", "ask_1"]);
      expect(await ids({ open: false, limit: 10 })).toEqual(["ask_3"]);
      expect(await ids({ open: true, sessions: ["ses_a", "ses_none"], limit: 10 })).toEqual(["ask_1"]);
      expect(await ids({ sessions: [], limit: 10 })).toEqual([]);
    });

    it("goes on after a page whose last ask went with its session", async () => {
      const store = await harness.open();
      await session(store, "ses_a", approval("ask_1"), approval("ask_3"));
      await session(store, "ses_b", clarify("ask_2"));
      const { next } = await store.asks({ limit: 2 });
      await store.deleteSession("ses_b", { force: true });
      expect(await store.asks({ limit: 2, after: next! })).toMatchObject({
        items: [{ id: "ask_1" }],
        next: null,
      });
    });
  });

  describe("a rule", () => {
    const rule = { profile: "default", tool: "shell", match: "sha256:abc", decision: "allow" } as const;

    it("is kept, listed by profile and removed", async () => {
      const store = await harness.open();
      const createdAt = harness.clock.iso();
      const added = await store.addRule({ id: "rul_1", ...rule, shown: "rm -rf build" });
      expect(added).toEqual({ id: "rul_1", ...rule, shown: "rm -rf build", createdAt });
      await store.addRule({ id: "rul_2", ...rule, profile: "other", decision: "deny" });
      expect(await store.rules("default")).toEqual([added]);
      expect((await store.rules()).map(({ id }) => id)).toEqual(["rul_2", "rul_1"]);
      expect(await store.removeRule("rul_1")).toEqual({ ok: true });
      expect(await store.removeRule("rul_1")).toEqual({ ok: false, code: "not_found" });
      expect(await store.rules("default")).toEqual([]);
    });

    it("that is said twice, after a crash perhaps, is one", async () => {
      const store = await harness.open();
      await store.addRule({ id: "rul_1", ...rule });
      const again = await harness.another(store);
      expect(await again.addRule({ id: "rul_2", ...rule })).toMatchObject({ id: "rul_1", shown: null });
      expect(await again.rules()).toHaveLength(1);
    });
  });

  describe("a command that is recalled", () => {
    const command = { scope: "owner/person", key: "k", digest: "d" };

    it("gives what its append came to, its note included, and not to another request", async () => {
      const store = await harness.open();
      await session(store, "ses_a");
      expect(await store.recall(command)).toBeUndefined();
      const kept = { ok: true, position: formatPosition(2, 0), note: { input: "inp_1" } };
      const appended = await store.append(
        "ses_a",
        [approval("ask_1")],
        { ...client, command },
        { note: { input: "inp_1" } },
      );
      expect(appended).toMatchObject(kept);
      expect(await store.recall(command)).toEqual({ ...kept, replayed: true });
      expect(await store.recall({ ...command, digest: "e" })).toEqual({ ok: false, code: "key_reused" });
    });
  });
});
