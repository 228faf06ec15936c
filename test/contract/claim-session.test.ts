import { describe, expect, it } from "vitest";
import type { NewEvent } from "../../src/session/event.ts";
import type { Store } from "../../src/store/store.ts";
import { forEachStore } from "./stores.ts";

const TTL_MS = 10_000;
const owner = { person: "owner" };

async function session(store: Store, id: string, ...first: NewEvent[]): Promise<string> {
  expect(await store.createSession({ id, profile: "default", first }, owner)).toMatchObject({ ok: true });
  return id;
}
const input = (id: string): NewEvent => ({
  type: "input_admitted",
  data: { input: id, kind: "prompt", text: "go" },
});
const turn: NewEvent = { type: "turn_started", data: { turn: "t1", inputs: ["inp_1"] } };
const delivered: NewEvent = { type: "input_delivered", data: { input: "inp_1", turn: "t1", from: "" } };

forEachStore((harness) => {
  describe("a session whose executor is gone", () => {
    it("is lost while nobody has taken it up, and only in the middle of a turn", async () => {
      const store = await harness.open();
      await session(store, "ses_turn", input("inp_1"), turn, delivered);
      await session(store, "ses_idle");
      await store.claimLease("ses_turn", TTL_MS);
      await store.claimLease("ses_idle", TTL_MS);
      expect(await store.lostSessions(10)).toEqual([]);
      await harness.close(store);
      const other = await harness.open();
      const [lost, ...more] = await other.lostSessions(10);
      expect(lost).toEqual({ session: "ses_turn", epoch: 1, seq: 4 });
      expect(more).toEqual([]);
      const tell = () =>
        other.append(
          "ses_turn",
          [{ type: "executor_lost", data: { epoch: 1 } }],
          { by: "keeper", keeper: "executor", key: "lost:ses_turn:1" },
          { expectSeq: 4 },
        );
      expect(await tell()).toMatchObject({ ok: true });
      expect(await tell()).toMatchObject({ ok: true, replayed: true });
      expect(await other.session("ses_turn", "owner")).toMatchObject({ status: "recovering" });
      expect(await other.lostSessions(10)).toEqual([]);

      const claimed = await other.claimLease("ses_turn", TTL_MS);
      if (!claimed.ok) throw new Error(claimed.code);
      const recovered: NewEvent = { type: "executor_recovered", data: { epoch: 2, takeover: 1 } };
      await other.append("ses_turn", [recovered], { by: "executor", lease: claimed.lease });
      expect(await other.session("ses_turn", "owner")).toMatchObject({ status: "running" });
      expect(await other.lostSessions(10)).toEqual([]);
    });
  });

  describe("the session that goes on next", () => {
    const send = (store: Store, id: string, ...events: NewEvent[]) => {
      harness.clock.advance(1_000);
      return store.append(id, events, { by: "client", author: owner });
    };
    const order = async (store: Store) => {
      const claimed: string[] = [];
      for (let claim; (claim = await store.claimSession(TTL_MS));) claimed.push(claim.lease.log);
      return claimed;
    };
    const rest = async (store: Store) => {
      const claim = await store.claimSession(TTL_MS);
      await store.releaseLease(claim!.lease, (await store.head(claim!.lease.log))!.position);
    };

    it("is one with input, and each is given to one executor only", async () => {
      const store = await harness.open();
      await session(store, "ses_idle");
      await session(store, "ses_a", input("inp_1"));
      harness.clock.advance(1000);
      await session(store, "ses_b", input("inp_1"));
      const claims = await Promise.all(Array.from({ length: 5 }, () => store.claimSession(TTL_MS)));
      const claimed = claims.flatMap((claim) => (claim ? [claim.lease.log] : []));
      expect(claimed.toSorted()).toEqual(["ses_a", "ses_b"]);
      expect(claims.filter((claim) => claim?.takeover)).toEqual([]);
    });

    it("is the one that waits longest, however often something is sent to it meanwhile", async () => {
      const store = await harness.open();
      await session(store, "ses_idle");
      await session(store, "ses_a", input("inp_1"));
      harness.clock.advance(1_000);
      await session(store, "ses_b", input("inp_1"));
      await send(store, "ses_idle", input("inp_1")); // made before the others, but idle until now
      await send(store, "ses_a", input("inp_2"));
      expect(await order(store)).toEqual(["ses_a", "ses_b", "ses_idle"]);
    });

    it("waits from the first thing that was to be done after a rest, not from what came before or later", async () => {
      const store = await harness.open();
      const ended: NewEvent = { type: "turn_ended", data: { turn: "t1", outcome: "completed" } };
      for (const id of ["ses_a", "ses_b", "ses_titled"]) {
        await session(store, id, input("inp_1"), turn, delivered);
        await rest(store);
        await send(store, id, ended);
      }
      await send(store, "ses_titled", { type: "session_titled", data: { title: "Nothing to do yet" } });
      await send(store, "ses_a", input("inp_2"));
      await send(store, "ses_b", input("inp_2"));
      await send(store, "ses_titled", input("inp_2"));
      await send(store, "ses_a", input("inp_3"));
      expect(await order(store)).toEqual(["ses_a", "ses_b", "ses_titled"]);
    });

    it("waits anew when its lease was given back before all was done", async () => {
      const store = await harness.open();
      await session(store, "ses_a", input("inp_1"), input("inp_2"));
      const first = await store.claimSession(TTL_MS);
      await session(store, "ses_b", input("inp_1"));
      harness.clock.advance(1_000);
      await store.releaseLease(first!.lease);
      expect(await order(store)).toEqual(["ses_b", "ses_a"]);
    });

    it("waits from its time to try again, and over a lost executor from when that one claimed it", async () => {
      const store = await harness.open();
      const retryAt = new Date(harness.clock.now() + 5_000).toISOString();
      await session(store, "ses_retry", input("inp_1"), turn, delivered, {
        type: "step_aborted",
        data: { step: "s", attempt: 1, reason: "overloaded", retryAt },
      });
      await rest(store);
      await session(store, "ses_early", input("inp_1"));
      harness.clock.advance(1_000);
      await store.claimLease("ses_early", 1_000);
      await session(store, "ses_lost", input("inp_1"));
      await send(store, "ses_lost", input("inp_2"));
      await store.claimLease("ses_lost", 1_000);
      harness.clock.advance(5_000);
      await session(store, "ses_late", input("inp_1"));
      expect(await order(store)).toEqual(["ses_early", "ses_lost", "ses_retry", "ses_late"]);
    });

    it("is taken over when its executor let the time pass, and after a clean release only while something is to do", async () => {
      const store = await harness.open();
      await session(store, "ses_a", input("inp_1"), turn, delivered);
      const first = await store.claimSession(TTL_MS);
      expect(first).toMatchObject({ lease: { epoch: 1 }, takeover: false });
      expect(await store.claimSession(TTL_MS)).toBeUndefined();
      harness.clock.advance(TTL_MS + 1);
      const second = await store.claimSession(TTL_MS);
      expect(second).toMatchObject({ lease: { epoch: 2 }, takeover: true });
      await store.append("ses_a", [{ type: "turn_ended", data: { turn: "t1", outcome: "completed" } }], {
        by: "executor",
        lease: second!.lease,
      });
      await store.releaseLease(second!.lease);
      expect(await store.claimSession(TTL_MS)).toBeUndefined();
    });

    it("is one whose executor went after its turn was over, until another has let go of it", async () => {
      const store = await harness.open();
      await session(store, "ses_a");
      await store.claimLease("ses_a", TTL_MS);
      expect(await store.claimSession(TTL_MS)).toBeUndefined();
      harness.clock.advance(TTL_MS + 1);
      const claim = await store.claimSession(TTL_MS);
      expect(claim).toMatchObject({ lease: { log: "ses_a", epoch: 2 }, takeover: true });
      await store.releaseLease(claim!.lease);
      harness.clock.advance(TTL_MS + 1);
      expect(await store.claimSession(TTL_MS)).toBeUndefined();
    });

    it("is a crash's only when another node held it: what this one broke off itself is none", async () => {
      const store = await harness.open();
      await session(store, "ses_a", input("inp_1"), turn, delivered);
      expect(await store.claimSession(TTL_MS)).toMatchObject({ takeover: false, crash: false });
      harness.clock.advance(TTL_MS + 1);
      expect(await store.claimSession(TTL_MS)).toMatchObject({ takeover: true, crash: false });
      expect(await store.claimLease("ses_a", TTL_MS)).toMatchObject({ ok: false, code: "held" });
      harness.clock.advance(TTL_MS + 1);
      expect(await store.claimLease("ses_a", TTL_MS)).toMatchObject({ takeover: true, crash: false });
      harness.clock.advance(TTL_MS + 1);
      const other = await harness.another(store);
      expect(await other.claimSession(TTL_MS)).toMatchObject({ takeover: true, crash: true });
    });

    it("is not one over which an executor came to rest, until a fact comes that it did not see", async () => {
      const store = await harness.open();
      await session(store, "ses_a", input("inp_1"), turn, delivered);
      await rest(store);
      expect(await store.claimSession(TTL_MS)).toBeUndefined();
      await store.append("ses_a", [{ type: "stop_requested", data: { turn: "t1" } }], {
        by: "client",
        author: owner,
      });
      await rest(store);
      expect(await store.claimSession(TTL_MS)).toBeUndefined();

      const other = await harness.another(store);
      expect(await other.claimSession(TTL_MS)).toBeUndefined();
      const { position } = (await other.head("ses_a"))!;
      await other.append("ses_a", [input("inp_2")], { by: "client", author: owner });
      const claim = await other.claimSession(TTL_MS);
      await other.releaseLease(claim!.lease, position); // it rested before it could see the last one
      expect(await other.claimSession(TTL_MS)).toMatchObject({ lease: { log: "ses_a" }, takeover: false });
    });

    it("is not one that waits for an answer or a time, until that is there", async () => {
      const store = await harness.open();
      const at = new Date(harness.clock.now() + 60_000).toISOString();
      const look = async () => {
        const claim = await store.claimSession(TTL_MS);
        if (claim) await store.releaseLease(claim.lease, (await store.head(claim.lease.log))!.position);
        return claim;
      };
      await session(store, "ses_retry", input("inp_1"), turn, delivered, {
        type: "step_aborted",
        data: { step: "s", attempt: 1, reason: "overloaded", retryAt: at },
      });
      await session(store, "ses_ask", input("inp_1"), turn, delivered, {
        type: "ask_opened",
        data: { ask: "ask_1", kind: "approval", title: "may I" },
      });
      await session(store, "ses_held", input("inp_1"), { type: "queue_held", data: { reason: "stopped" } });
      await look();
      await look();
      expect(await look()).toBeUndefined();

      await store.append(
        "ses_ask",
        [{ type: "ask_answered", data: { ask: "ask_1", kind: "approval", answer: { choice: "once" } } }],
        { by: "client", author: owner },
      );
      expect(await look()).toMatchObject({ lease: { log: "ses_ask" } });
      expect(await look()).toBeUndefined();
      harness.clock.advance(60_000);
      expect(await look()).toMatchObject({ lease: { log: "ses_retry" } });
    });

    it("is none of those that are to be left alone", async () => {
      const store = await harness.open();
      await session(store, "ses_bad", input("inp_1"));
      await session(store, "ses_left", input("inp_1"), turn, delivered);
      await store.claimLease("ses_left", TTL_MS);
      harness.clock.advance(TTL_MS + 1);
      await session(store, "ses_good", input("inp_1"));
      const claim = () => store.claimSession(TTL_MS, undefined, undefined, ["ses_bad", "ses_left"]);
      expect(await claim()).toMatchObject({ lease: { log: "ses_good" } });
      expect(await claim()).toBeUndefined();
      expect(await store.claimSession(TTL_MS)).toMatchObject({ lease: { log: "ses_bad" } });
    });

    it("is one whose retry lies farther ahead than any wait: the clock was set back", async () => {
      const store = await harness.open();
      const at = new Date(harness.clock.now() + 60_000).toISOString();
      await session(store, "ses_retry", input("inp_1"), turn, delivered, {
        type: "step_aborted",
        data: { step: "s", attempt: 1, reason: "overloaded", retryAt: at },
      });
      const claim = () => store.claimSession(TTL_MS, undefined, 60_000);
      const first = await claim();
      await store.releaseLease(first!.lease, (await store.head("ses_retry"))!.position);
      expect(await claim()).toBeUndefined();
      harness.clock.advance(-3600_000);
      expect(await claim()).toMatchObject({ lease: { log: "ses_retry" } });
    });

    it("is one that its executor broke off, no later for a clock that was set back", async () => {
      const store = await harness.open();
      await session(store, "ses_left", input("inp_1"), turn, delivered);
      await session(store, "ses_kept", input("inp_1"), turn, delivered);
      await store.claimSession(TTL_MS);
      const kept = await store.claimSession(TTL_MS);
      expect(kept).toMatchObject({ lease: { log: "ses_kept" } });
      harness.clock.advance(-5 * 3600_000);
      expect(await store.claimSession(TTL_MS)).toBeUndefined(); // whoever still works on it has his time to say so
      harness.clock.advance(TTL_MS / 2);
      await store.renewLease(kept!.lease);
      harness.clock.advance(TTL_MS / 2);
      expect(await store.claimSession(TTL_MS)).toMatchObject({
        lease: { log: "ses_left" },
        takeover: true,
      });
      expect(await store.claimSession(TTL_MS)).toBeUndefined();
    });

    it("is one that was renewed long after it was claimed, no later for a clock that was set back since", async () => {
      const store = await harness.open();
      await session(store, "ses_left", input("inp_1"), turn, delivered);
      const left = await store.claimSession(TTL_MS);
      harness.clock.advance(5 * 3600_000);
      await store.renewLease(left!.lease);
      harness.clock.advance(-3600_000);
      expect(await store.claimSession(TTL_MS)).toBeUndefined();
      harness.clock.advance(TTL_MS);
      expect(await store.claimSession(TTL_MS)).toMatchObject({ lease: { log: "ses_left" }, takeover: true });
    });
  });
});
