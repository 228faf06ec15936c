import { describe, expect, it } from "vitest";
import { apply } from "../../src/session/apply.ts";
import type { AnyEvent, NewEvent, NewFact } from "../../src/session/event.ts";
import { formatPosition, seqOf, START, type Position } from "../../src/session/position.ts";
import { emptyView, type View } from "../../src/session/view.ts";
import type { Store, Succession, Writer } from "../../src/store/store.ts";
import { forEachStore } from "./stores.ts";

const owner = { person: "owner" };
const client: Writer = { by: "client", author: owner };

/** Two turns, both over; the second began a process and was given a rule. */
const talk: NewEvent[] = [
  { type: "input_admitted", data: { input: "inp_1", kind: "prompt", text: "first question" } },
  { type: "turn_started", data: { turn: "t1", inputs: ["inp_1"] } },
  { type: "input_delivered", data: { input: "inp_1", turn: "t1", from: formatPosition(2, 0) } },
  { type: "step_started", data: { turn: "t1", step: "s1", attempt: 1, model: "m" } },
  {
    type: "step_completed",
    data: {
      step: "s1",
      attempt: 1,
      message: [{ type: "text", text: "first answer" }],
      usage: { inputTokens: 5, outputTokens: 7 },
    },
  },
  { type: "turn_ended", data: { turn: "t1", outcome: "completed" } },
  { type: "input_admitted", data: { input: "inp_2", kind: "prompt", text: "second question" } },
  { type: "turn_started", data: { turn: "t2", inputs: ["inp_2"] } },
  { type: "input_delivered", data: { input: "inp_2", turn: "t2", from: formatPosition(8, 0) } },
  { type: "step_started", data: { turn: "t2", step: "s2", attempt: 1, model: "m" } },
  {
    type: "step_completed",
    data: { step: "s2", attempt: 1, message: [{ type: "text", text: "second answer" }] },
  },
  { type: "rule_added", data: { tool: "shell", match: "ls *", decision: "allow" } },
  {
    type: "process_started",
    data: { process: "prc_1", command: "npm run dev", cwd: "/work", background: true },
  },
  { type: "turn_ended", data: { turn: "t2", outcome: "completed" } },
  { type: "session_titled", data: { title: "Talk" } },
];
/** A server was lost over its first attempt, a person stopped the second. */
const stoppedTalk: NewEvent[] = [
  { type: "turn_started", data: { turn: "t1", inputs: [] } },
  { type: "step_started", data: { turn: "t1", step: "s1", attempt: 1, model: "m" } },
  { type: "draft", data: { part: "s1.1/0", kind: "reasoning", offset: 0, text: "Hm." } },
  { type: "step_aborted", data: { step: "s1", attempt: 1, reason: "its server was lost" } },
  { type: "step_started", data: { turn: "t1", step: "s1", attempt: 2, model: "m" } },
  { type: "draft", data: { part: "s1.2/0", kind: "text", offset: 0, text: "I was just" } },
  { type: "step_aborted", data: { step: "s1", attempt: 2, reason: "stopped", said: "I was just" } },
  { type: "turn_ended", data: { turn: "t1", outcome: "stopped" } },
];
const beforeSecondTurn = formatPosition(8, 0);
const again: NewFact = {
  type: "input_admitted",
  data: { input: "inp_3", kind: "prompt", text: "second question, better" },
};

async function session(store: Store, id: string): Promise<void> {
  const origin = { kind: "task", session: "ses_origin" } as const;
  const created = await store.createSession(
    { id, profile: "default", workspace: "/work", lane: "web:inbox", origin, first: talk },
    owner,
  );
  expect(created).toMatchObject({ ok: true });
}

async function succession(store: Store, more: Partial<Succession> = {}): Promise<Succession> {
  const view = await store.view("ses_old");
  if (!view) throw new Error("ses_old has no view");
  return {
    from: "ses_old",
    view,
    at: beforeSecondTurn,
    id: "ses_new",
    reason: "regenerated",
    first: [again],
    ...more,
  };
}

function fold(events: readonly AnyEvent[]): View {
  const view = emptyView();
  for (const event of events) expect(apply(view, structuredClone(event)).outcome).toBe("applied");
  return view;
}

const facts = (store: Store, id: string, after: Position = START) => store.events(id, after, 1000);

forEachStore((harness) => {
  /** A session, its successor, and the successor of that. */
  async function threeInLine(): Promise<Store> {
    const store = await harness.open();
    await session(store, "ses_old");
    await store.succeedSession(await succession(store), owner);
    const view = (await store.view("ses_new")) ?? emptyView();
    const at = formatPosition(1, 0);
    const next: Succession = { from: "ses_new", view, at, id: "ses_newer", reason: "undone", first: [] };
    expect(await store.succeedSession(next, owner)).toMatchObject({ ok: true });
    return store;
  }

  describe("a successor", () => {
    it("works where its predecessor does, though the directory was made in what is gone back over", async () => {
      const store = await harness.open();
      const chosen: NewEvent = { type: "workspace_chosen", data: { workspace: "/home/workspaces/ses_old" } };
      const first = [...talk.slice(0, 4), chosen, ...talk.slice(4)];
      await store.createSession({ id: "ses_old", profile: "default", first }, owner);
      const regenerated = await succession(store, { at: formatPosition(1, 0) });
      expect(await store.succeedSession(regenerated, owner)).toMatchObject({ ok: true });
      expect((await store.view("ses_new"))?.meta.workspace).toBe("/home/workspaces/ses_old");

      const view = (await store.view("ses_new")) ?? emptyView();
      const at = view.position; // its workspace is in what is copied
      await store.succeedSession(
        { from: "ses_new", view, at, id: "ses_newer", reason: "undone", first: [] },
        owner,
      );
      const told = (await facts(store, "ses_newer")).filter(({ type }) => type === "workspace_chosen");
      expect(told).toHaveLength(1);
    });

    it("has the facts up to the point as they are, and what was decided apart from the talk", async () => {
      const store = await harness.open();
      await session(store, "ses_old");
      await store.arrangeSession("ses_old", { pinned: true });
      const old = await facts(store, "ses_old");
      const made = await store.succeedSession(await succession(store), owner);
      expect(made).toMatchObject({
        ok: true,
        session: {
          id: "ses_new",
          head: "ses_new",
          title: "Talk",
          profile: "default",
          workspace: "/work",
          lane: "web:inbox",
          origin: { kind: "task", session: "ses_origin" },
          pinned: true,
          status: "queued",
          usage: { inputTokens: 0, outputTokens: 0 },
        },
      });
      const log = await facts(store, "ses_new");
      expect(log.slice(0, 7)).toEqual(old.slice(0, 7));
      expect(log.slice(7).map(({ type }) => type)).toEqual([
        "session_forked",
        "session_titled",
        "rule_added",
        "process_started",
        "input_admitted",
      ]);
      const view = fold(log);
      expect(view).toEqual(await store.view("ses_new"));
      expect(view.meta).toMatchObject({ continues: "ses_old", forkedFrom: null, title: "Talk" });
      expect(view.queue).toMatchObject([{ input: "inp_3", text: "second question, better" }]);
      expect(view.processes).toMatchObject([{ process: "prc_1" }]);
      expect(view.messages.map(({ kind }) => kind)).toEqual(["input", "step", "turn_end"]);
    });

    it("has the words of the answers in front of it that broke off", async () => {
      const store = await harness.open();
      await store.createSession({ id: "ses_old", profile: "default", first: stoppedTalk }, owner);
      const at = (await store.head("ses_old"))!.position;
      await store.append("ses_old", [again], client);
      const made = await store.succeedSession(await succession(store, { at, first: [] }), owner);
      expect(made).toMatchObject({ ok: true });
      const view = await store.view("ses_new");
      expect(view?.messages.slice(0, 2)).toMatchObject([
        { kind: "step", state: "aborted", parts: [{ kind: "reasoning", text: "Hm." }] },
        { kind: "step", state: "aborted", parts: [{ kind: "text", text: "I was just" }] },
      ]);
      expect(fold(await facts(store, "ses_new"))).toEqual(view);
    });

    it("takes the place of the one that ended, which stays readable and names it", async () => {
      const store = await harness.open();
      await session(store, "ses_old");
      const before = await facts(store, "ses_old");
      await store.succeedSession(await succession(store), owner);
      expect(await store.session("ses_old", "owner")).toMatchObject({ status: "ended", head: "ses_new" });
      const after = await facts(store, "ses_old");
      expect(after.slice(0, -1)).toEqual(before);
      expect(after.at(-1)).toMatchObject({
        type: "session_ended",
        data: { reason: "regenerated", successor: "ses_new" },
        by: owner,
      });
      expect(await store.view("ses_old")).toMatchObject({
        ended: { reason: "regenerated", successor: "ses_new" },
      });
      expect(await store.append("ses_old", [again], client)).toEqual({
        ok: false,
        code: "ended",
        successor: "ses_new",
      });
      const listed = await store.sessions({ limit: 10, heads: true }, "owner");
      expect(listed.items.map(({ id }) => id)).not.toContain("ses_old");
      expect((await store.check()).problems).toEqual([]);
    });

    it("has what still runs for the one that ended: it goes with the successor, and not with the other", async () => {
      const store = await harness.open();
      await session(store, "ses_old");
      const running = { process: "prc_2", command: "npm run dev", cwd: "/work", background: true };
      const delegated = { session: "ses_child", call: "c1", background: true };
      await store.append("ses_old", [{ type: "process_started", data: running }], client);
      await store.append("ses_old", [{ type: "delegated", data: delegated }], client);
      for (const id of ["ses_child", "ses_done"])
        await store.createSession(
          { id, profile: "default", origin: { kind: "delegation", session: "ses_old" } },
          owner,
        );
      await store.succeedSession(await succession(store), owner);
      expect(await store.process("prc_2")).toMatchObject({ session: "ses_new", status: "running" });
      expect((await store.session("ses_child", "owner"))?.origin?.session).toBe("ses_new");

      expect(await store.deleteSession("ses_old", { force: false })).toEqual({ ok: true });
      expect(await store.head("ses_done")).toBeUndefined();
      expect(await store.process("prc_2")).toMatchObject({ status: "running" });
      expect(await store.processRequest("req_end_prc_2")).toBeUndefined();
      expect(await store.deleteSession("ses_new", { force: true })).toEqual({ ok: true });
      expect(await store.head("ses_child")).toBeUndefined();
      expect(await store.processRequest("req_end_prc_2")).toMatchObject({ wish: { do: "stop" } });
    });

    it("of a successor is the head of them all", async () => {
      const store = await threeInLine();
      expect(await store.session("ses_old", "owner")).toMatchObject({ head: "ses_newer" });
      expect(await store.session("ses_new", "owner")).toMatchObject({ head: "ses_newer" });
      expect((await facts(store, "ses_newer")).map(({ type }) => type)).toEqual([
        "session_created",
        "session_forked",
        "session_titled",
        "rule_added",
        "process_started",
      ]);
    });

    it("is led to from the first of them when the one between is deleted", async () => {
      const store = await threeInLine();
      expect(await store.deleteSession("ses_new", { force: true })).toEqual({ ok: true });
      expect(await store.session("ses_old", "owner")).toMatchObject({ head: "ses_newer" });
      expect(await store.scope("ses_newer")).toContain("ses_old");
      expect(await store.append("ses_old", [again], client)).toEqual({
        ok: false,
        code: "ended",
        successor: "ses_newer",
      });
    });

    it("is nobody when the last of them is deleted, and each of the others stands for itself", async () => {
      const store = await threeInLine();
      expect(await store.deleteSession("ses_newer", { force: true })).toEqual({ ok: true });
      for (const id of ["ses_old", "ses_new"])
        expect(await store.session(id, "owner")).toMatchObject({ head: id, status: "ended" });
    });

    it("is not read anew by who has read the old one", async () => {
      const store = await harness.open();
      await session(store, "ses_old");
      const view = await store.view("ses_old");
      await store.setSeen("ada", "ses_old", view?.position ?? START);
      await store.setSeen("ben", "ses_old", formatPosition(3, 0));
      await store.succeedSession(await succession(store), owner);
      const unread = async (person: string) => (await store.session("ses_new", person))?.unread;
      expect(await unread("ada")).toBe(1); // what was sent again
      expect(await unread("ben")).toBe(2); // and the first answer
      expect(await unread("cleo")).toBe(3);
    });

    it("comes of one of eight attempts at once, and the others learn which", async () => {
      const store = await harness.open();
      await session(store, "ses_old");
      const plan = await succession(store);
      const made = await Promise.all(
        Array.from({ length: 8 }, (_, n) => store.succeedSession({ ...plan, id: `ses_${n}` }, owner)),
      );
      const [winner, ...more] = made.flatMap((each) => (each.ok ? [each.session.id] : []));
      expect(more).toEqual([]);
      expect(made.filter(({ ok }) => !ok)).toEqual(
        Array.from({ length: 7 }, () => ({ ok: false, code: "ended", successor: winner })),
      );
      for (let n = 0; n < 8; n++)
        expect((await store.head(`ses_${n}`)) !== undefined).toBe(`ses_${n}` === winner);
    });

    it("is refused when the session has grown since it was looked at, or is not there", async () => {
      const store = await harness.open();
      await session(store, "ses_old");
      const plan = await succession(store);
      await store.append("ses_old", [{ type: "notice", data: { level: "info", text: "more" } }], client);
      expect(await store.succeedSession(plan, owner)).toMatchObject({ ok: false, code: "moved" });
      expect(await store.head("ses_new")).toBeUndefined();
      expect(await store.head("ses_old")).toMatchObject({
        closed: false,
        position: formatPosition(seqOf(plan.view.position) + 1, 0),
      });
      expect(await store.succeedSession({ ...plan, from: "ses_none" }, owner)).toEqual({
        ok: false,
        code: "not_found",
      });
    });

    it("is made once under one key, and given again to who asks again", async () => {
      const store = await harness.open();
      await session(store, "ses_old");
      const command = { scope: "owner/person", key: "k", digest: "d" };
      const plan = await succession(store);
      const made = await store.succeedSession(plan, owner, command);
      const retried = await store.succeedSession({ ...plan, id: "ses_other" }, owner, command);
      expect(retried).toEqual({ ...made, replayed: true });
      expect(await store.recall(command)).toEqual({ ...made, replayed: true });
      expect(await store.head("ses_other")).toBeUndefined();
    });
  });
});
