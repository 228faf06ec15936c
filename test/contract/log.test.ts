import { describe, expect, it } from "vitest";
import { formatPosition, START } from "../../src/session/position.ts";
import { EVENT_MAX_BYTES, PAGE_EVENTS } from "../../src/store/store.ts";
import {
  appended,
  byAnna,
  byOwner,
  claim,
  draft,
  ended,
  makeSession,
  notice,
  owner,
  positions,
  prompt,
  readAll,
  stepStarted,
  write,
} from "./samples.ts";
import { forEachStore } from "./stores.ts";

describe("a log", () => {
  forEachStore(({ open, close, another, clock }) => {
    it("begins with the session's own fact and numbers facts 1, 2, 3", async () => {
      const store = await open();
      await makeSession(store, "ses_a", { title: "First", first: [prompt("inp_1")] });
      await write(store, "ses_a", notice("three"));
      const events = await readAll(store, "ses_a");
      expect(events.map(({ type }) => type)).toEqual(["session_created", "input_admitted", "notice"]);
      expect(positions(events)).toEqual([1, 2, 3].map((seq) => formatPosition(seq, 0)));
    });

    it("says of each event when it was written and by whom", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      clock.advance(1_000);
      const lease = await claim(store, "ses_a");
      const told = await store.append("ses_a", [notice("by a person")], byAnna);
      await appended(store.append("ses_a", [notice("by an executor")], { by: "executor", lease }));
      await appended(
        store.append("ses_a", [notice("by the keeper")], {
          by: "keeper",
          keeper: "sweep",
          key: "exit:prc_1",
        }),
      );
      const [, person, executor, keeper] = await readAll(store, "ses_a");
      expect(person).toMatchObject({ at: clock.iso(), by: { person: "anna" } });
      expect(told).toMatchObject({ at: clock.iso() }); // the writer hears it too
      expect(executor).toMatchObject({ by: { executor: store.node, epoch: lease.epoch } });
      expect(keeper).toMatchObject({ by: { keeper: "sweep" } });
    });

    it("tells each of those who ask at the same moment where their log ends", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      await makeSession(store, "ses_b", { first: [prompt("inp_1")] });
      const ids = ["ses_b", "ses_none", "ses_a", "ses_b"];
      const heads = await Promise.all(ids.map((id) => store.head(id)));
      expect(heads.map((head) => head?.id)).toEqual(["ses_b", undefined, "ses_a", "ses_b"]);
      expect(heads.map((head) => head?.position)).toEqual([
        formatPosition(2, 0),
        undefined,
        formatPosition(1, 0),
        formatPosition(2, 0),
      ]);
    });

    it("puts drafts behind the last fact, counted anew after each fact", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      await write(store, "ses_a", stepStarted("s1"), draft("s1.1/0", 0, "a"), draft("s1.1/0", 1, "b"));
      expect(await write(store, "ses_a", draft("s1.1/0", 2, "c"))).toBe(formatPosition(2, 3));
      expect(await write(store, "ses_a", notice("a fact"), draft("s1.1/0", 3, "d"))).toBe(
        formatPosition(3, 1),
      );
      expect(positions(await readAll(store, "ses_a"))).toEqual([
        formatPosition(1, 0),
        formatPosition(2, 0),
        formatPosition(2, 1),
        formatPosition(2, 2),
        formatPosition(2, 3),
        formatPosition(3, 0),
        formatPosition(3, 1),
      ]);
    });

    it("stays gapless while many write to it at once (invariant 1)", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      const acknowledged = await Promise.all(
        Array.from({ length: 50 }, (_, n) => write(store, "ses_a", notice(`${n} a`), notice(`${n} b`))),
      );
      const events = await readAll(store, "ses_a");
      expect(positions(events)).toEqual(Array.from({ length: 101 }, (_, n) => formatPosition(n + 1, 0)));
      expect(new Set(acknowledged).size).toBe(50);
      for (const position of acknowledged) expect(positions(events)).toContain(position);
    });

    it("has the events of an append side by side", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      await Promise.all(
        Array.from({ length: 20 }, (_, n) => write(store, "ses_a", notice(`${n} a`), notice(`${n} b`))),
      );
      const texts = (await readAll(store, "ses_a"))
        .slice(1)
        .map(({ data }) => (data as { text: string }).text);
      for (let n = 0; n < texts.length; n += 2) expect(texts[n + 1]).toBe(texts[n]!.replace("a", "b"));
    });

    it("is there after the store was closed and opened again (invariant 1)", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      const last = await write(store, "ses_a", stepStarted("s1"), draft("s1.1/0", 0, "kept"));
      const before = await readAll(store, "ses_a");
      await close(store);
      const again = await open();
      expect(again.id).toBe(store.id);
      expect(await readAll(again, "ses_a")).toEqual(before);
      expect((await again.head("ses_a"))?.position).toBe(last);
      expect(await write(again, "ses_a", draft("s1.1/0", 4, " on"))).toBe(formatPosition(2, 2));
    });

    it("is read by another node, and goes on there", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      await write(store, "ses_a", notice("here"));
      const other = await another(store);
      expect(await readAll(other, "ses_a")).toHaveLength(2);
      expect(await write(other, "ses_a", notice("there"))).toBe(formatPosition(3, 0));
    });

    it("carries tasks too, apart from sessions", async () => {
      const store = await open();
      const created = await store.createLog("tsk_1", "task", [notice("made")], owner);
      expect(created).toEqual({ ok: true, position: formatPosition(1, 0) });
      expect(await store.createLog("tsk_1", "task", [notice("again")], owner)).toEqual({
        ok: false,
        code: "exists",
      });
      await write(store, "tsk_1", notice("worked on"));
      expect(await readAll(store, "tsk_1")).toHaveLength(2);
      expect(await store.head("tsk_1")).toEqual({
        id: "tsk_1",
        kind: "task",
        position: formatPosition(2, 0),
        closed: false,
      });
      expect(await store.session("tsk_1", "owner")).toBeUndefined();
      expect(await store.view("tsk_1")).toBeUndefined();
    });

    it("takes any text and gives it back as it was", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      const texts = [
        "",
        "\u0000 nul",
        "\ud800 alone",
        "日本語",
        "👩‍👩‍👧",
        `"quoted" \\ \n\r\t`,
        "</script>",
        "\u2028",
      ];
      await write(store, "ses_a", ...texts.map(notice));
      const read = (await readAll(store, "ses_a")).slice(1);
      expect(read.map(({ data }) => (data as { text: string }).text)).toEqual(texts);
      expect((await store.events("ses_a", START, 100)).slice(1)).toEqual(read);
    });

    it("refuses an append without events, and an event that is too large, and writes nothing of it", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      await expect(store.append("ses_a", [], byOwner)).rejects.toThrow(RangeError);
      await expect(
        store.append("ses_a", [notice("fits"), notice("x".repeat(EVENT_MAX_BYTES))], byOwner),
      ).rejects.toThrow(RangeError);
      expect(await readAll(store, "ses_a")).toHaveLength(1);
    });

    it("refuses an append to a log that is not there", async () => {
      const store = await open();
      expect(await store.append("ses_none", [notice("x")], byOwner)).toEqual({
        ok: false,
        code: "not_found",
      });
      expect(await store.head("ses_none")).toBeUndefined();
      expect(await store.page("ses_none", START, 1000)).toMatchObject({
        count: 0,
        last: START,
        upToDate: true,
      });
      expect(await store.events("ses_none", START, 10)).toEqual([]);
      expect(await store.eventsBefore("ses_none", formatPosition(5, 0), 10)).toEqual([]);
    });

    it("takes nothing after its end, whoever writes, and says where the work went on", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      const lease = await claim(store, "ses_a");
      await write(store, "ses_a", ended("ses_b"));
      const refused = { ok: false, code: "ended", successor: "ses_b" };
      expect(await store.append("ses_a", [notice("late")], byOwner)).toEqual(refused);
      expect(await store.append("ses_a", [notice("late")], { by: "executor", lease })).toEqual(refused);
      expect(
        await store.append("ses_a", [notice("late")], { by: "keeper", keeper: "k", key: "late" }),
      ).toEqual(refused);
      expect(await store.claimLease("ses_a", 1000)).toEqual({ ok: false, code: "ended" });
      expect(await store.head("ses_a")).toMatchObject({ closed: true, position: formatPosition(2, 0) });
      await expect(store.append("ses_a", [ended(), notice("after")], byOwner)).rejects.toThrow(RangeError);
    });

    it("lets one of two writers through who decided on the same view", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      const race = await Promise.all(
        Array.from({ length: 8 }, (_, n) =>
          store.append("ses_a", [notice(`${n}`)], byOwner, { expectSeq: 1 }),
        ),
      );
      expect(race.filter(({ ok }) => ok)).toHaveLength(1);
      expect(race.filter(({ ok }) => !ok)).toEqual(
        Array(7).fill({ ok: false, code: "moved", position: formatPosition(2, 0) }),
      );
      expect(await readAll(store, "ses_a")).toHaveLength(2);
    });

    it("does not count drafts as a move: they change no decision", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      await write(store, "ses_a", stepStarted("s1"), draft("s1.1/0", 0, "…"));
      expect(await store.append("ses_a", [notice("ok")], byOwner, { expectSeq: 2 })).toMatchObject({
        ok: true,
      });
    });

    it("is paged by bytes, at least one event a page, each event once and in order (invariant 2)", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      const facts = Array.from({ length: 40 }, (_, n) => notice("x".repeat(n % 7 === 6 ? 5_000 : 50)));
      await write(store, "ses_a", ...facts);
      const whole = await store.events("ses_a", START, 1000);
      expect(whole).toHaveLength(41);
      for (const maxBytes of [1, 700, 4_000, 1_000_000])
        expect(await readAll(store, "ses_a", maxBytes)).toEqual(whole);
      const { bytes, count } = await store.page("ses_a", START, 4_000);
      expect(count).toBeGreaterThan(1);
      expect(bytes.byteLength).toBeLessThan(4_000 + 6_000);
    });

    it("has at most PAGE_EVENTS on a page, and says when nothing more is there", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      await write(store, "ses_a", ...Array.from({ length: PAGE_EVENTS }, (_, n) => notice(`${n}`)));
      const first = await store.page("ses_a", START, 10_000_000);
      expect(first).toMatchObject({
        count: PAGE_EVENTS,
        upToDate: false,
        last: formatPosition(PAGE_EVENTS, 0),
      });
      const second = await store.page("ses_a", first.last, 10_000_000);
      expect(second).toMatchObject({ count: 1, upToDate: true });
      const third = await store.page("ses_a", second.last, 10_000_000);
      expect(third).toMatchObject({ count: 0, upToDate: true, last: second.last });
    });

    it("is read from any position, exclusive, a draft's too", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      await write(
        store,
        "ses_a",
        stepStarted("s1"),
        draft("s1.1/0", 0, "a"),
        draft("s1.1/0", 1, "b"),
        notice("c"),
      );
      const all = await readAll(store, "ses_a");
      for (const [n, { position }] of all.entries()) {
        expect(await store.events("ses_a", position, 100)).toEqual(all.slice(n + 1));
        expect(await store.events("ses_a", position, 1)).toEqual(all.slice(n + 1, n + 2));
      }
      expect(await store.events("ses_a", formatPosition(9, 0), 100)).toEqual([]);
    });

    it("is read backwards by facts, newest first", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      await write(store, "ses_a", stepStarted("s1"), draft("s1.1/0", 0, "a"), notice("b"), notice("c"));
      const facts = (await readAll(store, "ses_a")).filter(({ type }) => type !== "draft").toReversed();
      expect(await store.eventsBefore("ses_a", formatPosition(99, 0), 100)).toEqual(facts);
      expect(await store.eventsBefore("ses_a", formatPosition(4, 0), 100)).toEqual(facts.slice(1));
      expect(await store.eventsBefore("ses_a", formatPosition(4, 0), 2)).toEqual(facts.slice(1, 3));
      expect(await store.eventsBefore("ses_a", formatPosition(2, 1), 100)).toEqual(facts.slice(2));
      expect(await store.eventsBefore("ses_a", START, 100)).toEqual([]);
    });

    it("is read in order when it lies between thousands of others' events", async () => {
      const store = await open();
      const logs = ["ses_a", "ses_b", "ses_c"];
      for (const log of logs) await makeSession(store, log);
      for (let round = 0; round < 6; round++)
        await Promise.all(
          logs.flatMap((log) => [
            write(store, log, ...Array.from({ length: 150 }, (_, n) => notice(`${log} ${round} ${n}`))),
            write(store, log, draft(`s${round}.1/0`, 0, log), draft(`s${round}.1/0`, log.length, "!")),
          ]),
        );
      for (const log of logs) {
        const events = await readAll(store, log, 20_000);
        expect(events.filter(({ type }) => type !== "draft").map(({ position }) => position)).toEqual(
          Array.from({ length: 901 }, (_, n) => formatPosition(n + 1, 0)),
        );
        expect(positions(events)).toEqual(positions(events).toSorted());
        expect(await store.events(log, START, 2_000)).toEqual(events);
        const backwards = await store.eventsBefore(log, formatPosition(9_999, 0), 2_000);
        expect(backwards).toEqual(events.filter(({ type }) => type !== "draft").toReversed());
      }
    });
  });
});
