import { describe, expect, it } from "vitest";
import type { NewEvent } from "../../src/session/event.ts";
import type { Store } from "../../src/store/store.ts";
import { forEachStore } from "./stores.ts";

const owner = { person: "owner" };
const started = (process: string, background = true): NewEvent => ({
  type: "process_started",
  data: { process, command: `run ${process}`, cwd: "/w", background },
});
const exited = (process: string, exit: number): NewEvent => ({
  type: "process_exited",
  data: { process, exit, cause: "exit" },
});
const append = (store: Store, log: string, ...events: NewEvent[]) =>
  store.append(log, events, { by: "client", author: owner });

forEachStore((harness) => {
  async function withSession(id = "ses_a"): Promise<Store> {
    const store = await harness.open();
    await newSession(store, id);
    return store;
  }
  /** Claimed once, so that it has a host. */
  async function newSession(store: Store, id: string, origin?: "delegation" | "fork", of = "ses_a") {
    const input: NewEvent = { type: "input_admitted", data: { input: "inp_1", kind: "prompt", text: "go" } };
    await store.createSession(
      { id, profile: "default", first: [input], ...(origin && { origin: { kind: origin, session: of } }) },
      owner,
    );
    const claim = await store.claimSession(1_000);
    await store.releaseLease(claim!.lease, (await store.head(id))!.position);
  }
  const idsOf = async (store: Store, filter: Partial<Parameters<Store["processes"]>[0]> = {}) =>
    (await store.processes({ limit: 50, ...filter })).items.map(({ id }) => id);

  describe("processes", () => {
    it("are rows from the append that begins them to the one that ends them", async () => {
      const store = await withSession();
      await append(store, "ses_a", started("prc_1"));
      expect(await store.process("prc_1")).toEqual({
        id: "prc_1",
        session: "ses_a",
        host: "test-host",
        command: "run prc_1",
        cwd: "/w",
        call: null,
        background: true,
        status: "running",
        startedAt: harness.clock.iso(),
        endedAt: null,
        exit: null,
        cause: null,
      });
      expect(await store.session("ses_a", "owner")).toMatchObject({ processes: 1 });
      harness.clock.advance(1_000);
      await append(store, "ses_a", exited("prc_1", 2));
      await append(store, "ses_a", exited("prc_1", 0)); // the first end counts
      expect(await store.process("prc_1")).toMatchObject({
        status: "exited",
        exit: 2,
        endedAt: harness.clock.iso(),
      });
      expect(await store.session("ses_a", "owner")).toMatchObject({ processes: 0 });
      await append(store, "ses_a", started("prc_2"), { type: "process_lost", data: { process: "prc_2" } });
      expect(await store.process("prc_2")).toMatchObject({ status: "lost", exit: null });
    });

    it("are listed newest first, in pages, by session, by host and by whether they run", async () => {
      const store = await withSession();
      await newSession(store, "ses_b");
      for (const id of ["prc_1", "prc_2", "prc_3"]) {
        await append(store, "ses_a", started(id));
        harness.clock.advance(1_000);
      }
      await append(store, "ses_b", started("prc_4"));
      await append(store, "ses_a", exited("prc_2", 0));
      expect(await idsOf(store)).toEqual(["prc_4", "prc_3", "prc_2", "prc_1"]);
      expect(await idsOf(store, { running: true, sessions: ["ses_a"] })).toEqual(["prc_3", "prc_1"]);
      expect(await idsOf(store, { running: false })).toEqual(["prc_2"]);
      expect(await idsOf(store, { host: "elsewhere" })).toEqual([]);
      const first = await store.processes({ limit: 3 });
      expect(first.items).toHaveLength(3);
      const rest = await store.processes({ limit: 3, after: first.next! });
      expect([rest.items.map(({ id }) => id), rest.next]).toEqual([["prc_1"], null]);
    });

    it("are paged on also when the last of a page is gone meanwhile", async () => {
      const store = await withSession();
      await newSession(store, "ses_b");
      await append(store, "ses_a", started("prc_1"));
      harness.clock.advance(1_000);
      await append(store, "ses_b", started("prc_2"), exited("prc_2", 0));
      const { next } = await store.processes({ limit: 1 });
      await store.deleteSession("ses_b", { force: true });
      expect(await store.process("prc_2")).toBeUndefined();
      const rest = await store.processes({ limit: 1, after: next! });
      expect(rest.items.map(({ id }) => id)).toEqual(["prc_1"]);
    });

    it("of a session are those of its lineage and of the delegates that came of it, and not of its forks", async () => {
      const store = await withSession();
      await newSession(store, "ses_child", "delegation");
      await newSession(store, "ses_grandchild", "delegation", "ses_child");
      await newSession(store, "ses_fork", "fork");
      await newSession(store, "ses_next");
      await append(store, "ses_a", {
        type: "session_ended",
        data: { reason: "reset", successor: "ses_next" },
      });
      const whole = ["ses_a", "ses_child", "ses_grandchild", "ses_next"];
      expect((await store.scope("ses_a")).toSorted()).toEqual(whole);
      expect((await store.scope("ses_next")).toSorted()).toEqual(whole);
      expect((await store.scope("ses_child")).toSorted()).toEqual(["ses_child", "ses_grandchild"]);
      expect(await store.scope("ses_fork")).toEqual(["ses_fork"]);
    });

    it("keep their session from being deleted; by force they get their stop, and go when they are gone", async () => {
      const store = await withSession();
      const withdrawn: NewEvent = { type: "input_withdrawn", data: { input: "inp_1" } };
      await append(store, "ses_a", withdrawn, started("prc_1"), started("prc_2"), exited("prc_2", 0));
      expect(await store.deleteSession("ses_a", { force: false })).toEqual({
        ok: false,
        code: "live",
        status: "idle",
        processes: 1,
      });
      await store.forgetProcess("prc_1"); // not while its session is there
      expect(await store.deleteSession("ses_a", { force: true })).toEqual({ ok: true });
      expect(await idsOf(store)).toEqual(["prc_1"]);
      expect(await store.takeRequests()).toMatchObject([
        { request: { process: "prc_1", wish: { do: "stop" } }, again: false },
      ]);
      await store.forgetProcess("prc_1");
      expect(await idsOf(store)).toEqual([]);
    });
  });

  describe("what is asked of a process", () => {
    it("is carried out once by one of its host, however often it is asked", async () => {
      const store = await withSession();
      await append(store, "ses_a", started("prc_1"));
      const request = { id: "req_1", process: "prc_1", wish: { do: "write", text: "yes\n" } } as const;
      expect(await store.requestProcess(request)).toMatchObject({ ok: true, request: { outcome: null } });
      const taken = (await Promise.all([store.takeRequests(), store.takeRequests()])).flat();
      expect(taken).toEqual([{ request: { ...request, outcome: null }, again: false }]);
      await store.finishRequest("req_1", "done");
      await store.finishRequest("req_1", "never");
      expect(await store.requestProcess(request)).toMatchObject({ ok: true, request: { outcome: "done" } });
      expect(await store.takeRequests()).toEqual([]);
    });

    it("is taken again, and known to be, when whoever took it has not said what came of it", async () => {
      const store = await withSession();
      await append(store, "ses_a", started("prc_1"));
      await store.requestProcess({ id: "req_1", process: "prc_1", wish: { do: "stop" } });
      await store.takeRequests();
      expect(await store.takeRequests()).toEqual([]);
      harness.clock.advance(61_000);
      expect(await store.takeRequests()).toMatchObject([{ request: { id: "req_1" }, again: true }]);
      harness.clock.advance(-3600_000); // and no later for a clock that is set back
      expect(await store.takeRequests()).toMatchObject([{ request: { id: "req_1" }, again: true }]);
      expect(await store.takeRequests()).toEqual([]);
    });

    it("is refused when it is over or was never there", async () => {
      const store = await withSession();
      await append(store, "ses_a", started("prc_1"), exited("prc_1", 0));
      const wish = { do: "stop" } as const;
      expect(await store.requestProcess({ id: "req_1", process: "prc_1", wish })).toEqual({
        ok: false,
        code: "over",
      });
      expect(await store.requestProcess({ id: "req_2", process: "prc_9", wish })).toEqual({
        ok: false,
        code: "not_found",
      });
    });
  });

  it("a session's attention counts what its delegates ask, however deep", async () => {
    const store = await withSession();
    await newSession(store, "ses_child", "delegation");
    await newSession(store, "ses_grandchild", "delegation", "ses_child");
    await newSession(store, "ses_fork", "fork");
    const ask = (id: string, kind: "approval" | "clarify"): NewEvent => ({
      type: "ask_opened",
      data: { ask: id, kind, title: "may I" },
    });
    await append(store, "ses_grandchild", ask("ask_1", "approval"));
    await append(store, "ses_a", ask("ask_2", "clarify"));
    await append(store, "ses_fork", ask("ask_3", "clarify"));
    expect((await store.session("ses_a", "owner"))?.attention).toEqual({ kind: "approval", count: 2 });
    expect((await store.session("ses_child", "owner"))?.attention).toEqual({ kind: "approval", count: 1 });
    expect((await store.session("ses_fork", "owner"))?.attention).toEqual({ kind: "question", count: 1 });
  });
});
