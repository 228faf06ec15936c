// What a person commands from the command line, as processes against a real server whose executor is played by the test.
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Ask, DeedList, SessionList, ShownSession, UsageReport } from "../src/client/commands.ts";
import type { NewEvent, Usage } from "../src/session/event.ts";
import { envOf, holdfast, holdfastJson, type Env } from "./holdfast.ts";
import { startScriptedServer, type ScriptedServer } from "./scripted-server.ts";
import { Script } from "./scripted-work.ts";

let server: ScriptedServer;
let env: Env;

beforeAll(async () => {
  server = await startScriptedServer();
  await server.listen();
  env = envOf({ url: server.url, token: server.token, home: "/nowhere" });
});
afterAll(() => server.remove());

const show = (session: string) => holdfastJson<ShownSession>(env, ["sessions", "show", session]);

/** A session whose turn runs. */
async function running(title: string): Promise<string> {
  const session = await server.create(title);
  await server.play(session, new Script(title).admit("go", `inp_${title}`));
  const { view } = await show(session);
  const queued = view.queue[0];
  await server.play(session, new Script(title).take(queued?.input ?? "", queued?.position ?? "").begin());
  return session;
}

describe("stop", () => {
  it("asks the turn to stop, and says so when nothing runs", async () => {
    const session = await running("stopped");
    expect(await holdfast(env, ["stop", session])).toMatchObject({ code: 0, out: `stopping ${session}\n` });
    expect((await show(session)).view.turn?.stopRequested).toBe(true);
    const idle = await server.create("idle");
    expect((await holdfast(env, ["stop", idle])).out).toBe(`nothing runs in ${idle}\n`);
    expect((await holdfast(env, ["stop", "ses_none"])).code).toBe(3);
  });
});

describe("a session that Holdfast itself failed over and left alone", () => {
  it("stands out as failed in the status and the list, and shows why and what to do", async () => {
    const session = await running("given_up");
    await server.append(session, [{ type: "executor_gave_up", data: { epoch: 1, reason: "no such fold" } }]);
    const status = (await holdfast(env, ["status"])).out;
    expect(status).toMatch(new RegExp(`${session} .*idle: failed`));
    expect(status).toContain(`holdfast sessions show ${session}`);
    expect((await holdfast(env, ["sessions", "list"])).out).toMatch(new RegExp(`${session} .*idle: failed`));
    const shown = (await holdfast(env, ["sessions", "show", session])).out;
    expect(shown).toContain("idle: failed");
    expect(shown).toMatch(/Send anything to try again\. The reason: no such fold/);
  });
});

describe("a session that asks", () => {
  it("has its ask in the status, by the id that answers it", async () => {
    const session = await running("asking");
    await server.append(session, [
      { type: "ask_opened", data: { ask: "ask_status", kind: "clarify", title: "Which \u001b[31mcolour?" } },
    ]);
    const status = (await holdfast(env, ["status"])).out;
    expect(status).toContain("1 ask waiting for an answer");
    expect(status).toMatch(new RegExp(`ask_status +question in ${session}, .*: Which .*colour\\?`));
    expect(status).not.toContain("\u001b[31m");
    expect((await holdfast(env, ["asks", "answer", "ask_status", "red"])).code).toBe(0);
    expect((await holdfast(env, ["status"])).out).not.toContain("ask_status");
  });
});

describe("a session whose provider failed for now", () => {
  it("says in the status, the list and where it is shown when it is tried again", async () => {
    const session = await running("retried");
    const { view } = await show(session);
    const step = view.messages.findLast((message) => message.kind === "step");
    if (step?.kind !== "step") throw new Error("no step runs");
    const { step: id, attempt } = step;
    const retryAt = "2999-01-01T12:00:00.000Z";
    await server.append(session, [
      { type: "step_aborted", data: { step: id, attempt, reason: "overloaded", retryAt } },
    ]);
    const words = new RegExp(`${session} .*waiting: retrying at 2999-01-01 \\d\\d:\\d\\d`);
    expect((await holdfast(env, ["status"])).out).toMatch(words);
    expect((await holdfast(env, ["sessions", "list"])).out).toMatch(words);
    expect((await holdfast(env, ["sessions", "show", session])).out).toContain("waiting: retrying at 2999");
    const { items } = await holdfastJson<SessionList>(env, ["sessions", "list", "--status", "waiting"]);
    expect(items).toMatchObject([{ id: session, status: "waiting", retryAt }]);
  });
});

describe("a turn that failed", () => {
  it("is gone on with by sessions retry, and only then", async () => {
    const session = await running("failed");
    const { view } = await show(session);
    const error = { code: "auth", message: "no key" };
    await server.append(session, [
      { type: "turn_ended", data: { turn: view.turn?.id ?? "", outcome: "failed", error } },
    ]);
    expect(await holdfast(env, ["sessions", "retry", session])).toMatchObject({
      code: 0,
      out: `trying again in ${session}\n`,
    });
    expect((await show(session)).view.turn).toMatchObject({ inputs: [] });
    const again = await holdfast(env, ["sessions", "retry", session]);
    expect(again).toMatchObject({ code: 4, err: expect.stringContaining("nothing to try again") });
  });
});

describe("send", () => {
  it("stops what runs with --now, steers it with --steer, and not both", async () => {
    const session = await running("sent");
    await holdfast(env, ["send", session, "to", "the", "left", "--steer"]);
    await holdfast(env, ["send", session, "rather this", "--now"]);
    const { view } = await show(session);
    expect(view.queue).toMatchObject([
      { kind: "steer", text: "to the left" },
      { kind: "prompt", text: "rather this", delivery: "now" },
    ]);
    expect(view.turn?.stopRequested).toBe(true);
    expect((await holdfast(env, ["send", session, "x", "--now", "--steer"])).code).toBe(2);
    expect((await holdfast(env, ["send", "new", "x", "--now"])).code).toBe(2);
  });

  it("has a new session work in a directory that is named from where the command is run", async () => {
    const sent = await holdfastJson<{ session: string }>(env, ["send", "new", "hello", "--workspace", "src"]);
    expect((await show(sent.session)).workspace).toBe(join(process.cwd(), "src"));
  });

  it("says that it was an answer", async () => {
    const session = await running("asked");
    await server.append(session, [question("ask_sent")]);
    const sent = await holdfast(env, ["send", session, "the left one"]);
    expect(sent).toMatchObject({ code: 0, out: `${session}\n`, err: "it answered ask_sent\n" });
  });
});

describe("queue", () => {
  it("lists, edits, moves, withdraws and releases what waits", async () => {
    const session = await running("queued");
    for (const text of ["first", "second", "third"]) await holdfast(env, ["send", session, text]);
    const texts = async () => (await show(session)).view.queue.map(({ text }) => text);

    const listed = await holdfast(env, ["queue", "list", session]);
    expect(listed.out).toMatch(/^# .*\n1 .* prompt .*first.*\n2 .*second.*\n3 .*third/);
    await holdfast(env, ["queue", "edit", session, "2", "second, better"]);
    await holdfast(env, ["queue", "move", session, "3", "--before", "1"]);
    expect(await texts()).toEqual(["third", "first", "second, better"]);
    await holdfast(env, ["queue", "move", session, "1"]);
    const [first] = (await show(session)).view.queue;
    const removed = await holdfast(env, ["queue", "rm", session, first?.input ?? ""]);
    expect(removed).toMatchObject({ code: 0, out: `withdrawn ${first?.input}\n` });
    expect(await texts()).toEqual(["second, better", "third"]);

    const gone = await holdfast(env, ["queue", "edit", session, first?.input ?? "", "too late"]);
    expect(gone).toMatchObject({ code: 4, err: expect.stringContaining("was withdrawn") });
    expect((await holdfast(env, ["queue", "rm", session, "9"])).code).toBe(3);
    await holdfast(env, ["send", session, "fourth"]);
    expect((await holdfast(env, ["queue", "rm", session, "latest"])).code).toBe(0);
    expect(await texts()).toEqual(["second, better", "third"]);

    await server.append(session, [{ type: "queue_held", data: { reason: "stopped" } }]);
    expect((await holdfast(env, ["queue", "list", session])).out).toContain("holdfast queue release");
    expect((await holdfast(env, ["queue", "release", session])).out).toContain("goes on");
    expect((await show(session)).view.held).toBe(false);
    expect((await holdfast(env, ["queue", "release", session])).out).toContain("is not held");
  });
});

describe("asks", () => {
  it("lists what a call without a command was given, to the last byte", async () => {
    const details = [
      { name: "path", text: "notes.txt" },
      { name: "text", text: "one\n\x1b[2Jtwo\n\u202e" },
      { name: "long", text: "it begins", bytes: 90_000 },
    ];
    const ask = { ask: "ask_cli0", kind: "approval" as const, title: "write: notes.txt", cwd: "/work" };
    const session = await running("write");
    await server.append(session, [{ type: "ask_opened", data: { ...ask, details } }]);
    const { out } = await holdfast(env, ["asks", "list"]);
    expect(out).toContain("  path: notes.txt\n  text, 15 bytes:\n  | one\n  | ␛[2Jtwo\n  | <U+202E>\n");
    expect(out).toContain("  long, 90,000 bytes:\n  | it begins\n  … the rest is in the session\n");
    const { items } = await holdfastJson<{ items: Ask[] }>(env, ["asks", "list"]);
    expect(items.find(({ id }) => id === "ask_cli0")).toMatchObject({ details });
    await holdfast(env, ["asks", "answer", "ask_cli0", "deny"]);
  });

  it("lists what waits with the exact command, and answers it once", async () => {
    const session = await running("approve");
    await server.append(session, [approval("ask_cli1"), question("ask_cli2")]);
    const { out } = await holdfast(env, ["asks", "list"]);
    expect(out).toContain("ask_cli1  approval in");
    expect(out).toContain("  $ rm -rf build␛[2J");
    expect(out).toContain("1 Once   2 In this session   3 Always   4 Deny");

    const denied = await holdfast(env, ["asks", "answer", "ask_cli1", "deny", "not", "there"]);
    expect(denied).toMatchObject({ code: 0, out: "answered ask_cli1: deny: not there\n" });
    const again = await holdfast(env, ["asks", "answer", "ask_cli1", "once"]);
    expect(again.code).toBe(3); // it is not open any more
    expect((await holdfast(env, ["asks", "answer", "ask_cli2", "9"])).code).toBe(0); // any text is an answer
    const { items } = await holdfastJson<{ items: Ask[] }>(env, ["asks", "list", "--all"]);
    expect(items.filter((ask) => ask.session === session)).toMatchObject([
      { id: "ask_cli2", answer: { text: "9" } },
      { id: "ask_cli1", answer: { choice: "deny", text: "not there" }, closedBy: { person: "owner" } },
    ]);
    await server.append(session, [approval("ask_cli3")]);
    const unclear = await holdfast(env, ["asks", "answer", "latest", "perhaps"]);
    expect(unclear).toMatchObject({ code: 2, err: expect.stringContaining("once, session, always, deny") });
  });

  it("tells who lost the race who won it", async () => {
    const session = await running("race");
    const ask = "ask_01m7fe7vqp7bqjqaym27hy";
    await server.append(session, [approval(ask)]);
    const answers = await Promise.all(
      ["once", "deny"].map((choice) => holdfast(env, ["asks", "answer", ask, choice])),
    );
    expect(answers.map(({ code }) => code).toSorted((a, b) => Number(a) - Number(b))).toEqual([0, 4]);
    expect(answers.find(({ code }) => code === 4)?.err).toMatch(/was answered by owner at .*: (once|deny)/);
  });
});

describe("sessions", () => {
  it("are had anew, sent otherwise and undone, each in a successor", async () => {
    const session = await server.create("Talk");
    await turn(session, "one");
    const { out: first } = await holdfast(env, ["sessions", "regenerate", session]);
    expect((await show(first.trim())).view.queue).toMatchObject([{ text: "question one" }]);
    const second = await server.create("Talk again");
    await turn(second, "two");
    const { out: edited } = await holdfast(env, ["sessions", "resend", second, "a", "better", "one"]);
    expect((await show(edited.trim())).view.queue).toMatchObject([{ text: "a better one" }]);
    const again = await server.create("Talk by its beginning");
    await turn(again, "four");
    const sent = (await show(again)).view.messages.find(({ kind }) => kind === "input")?.id ?? "";
    const named = (input: string) =>
      holdfast(env, ["sessions", "resend", again, "--input", input, "and", "better"]);
    expect(await named("inp_nothing")).toMatchObject({ code: 3 });
    const { out: resent } = await named(sent.slice(0, -1));
    expect((await show(resent.trim())).view.queue).toMatchObject([{ text: "and better" }]);
    expect(await holdfast(env, ["sessions", "undo", edited.trim()])).toMatchObject({
      code: 4,
      err: expect.stringContaining("nothing to go back to"),
    });
    const third = await server.create("Talk undone");
    await turn(third, "three");
    const { out: undone } = await holdfast(env, ["sessions", "undo", third]);
    expect((await show(undone.trim())).view).toMatchObject({ messages: [], queue: [] });
    expect((await holdfast(env, ["sessions", "show", third])).out).toContain(`continued in ${undone.trim()}`);
  });
});

describe("rules and profiles", () => {
  it("are listed, also when there are none", async () => {
    expect(await holdfast(env, ["rules", "list"])).toMatchObject({
      code: 0,
      out: "Nothing was allowed for good.\n",
    });
    expect((await holdfast(env, ["rules", "rm", "rul_none"])).code).toBe(3);
    expect(await holdfastJson(env, ["profiles"])).toEqual({ items: [] });
  });
});

describe("audit", () => {
  it("shows who did what to what, the newest first, and as JSON with the page after", async () => {
    const session = await running("audited");
    await holdfast(env, ["stop", session]);
    await holdfast(env, ["sessions", "rm", session, "--force"]);
    const { code, out } = await holdfast(env, ["audit", "--limit", "2"]);
    expect(code).toBe(0);
    const [titles, first, second, more] = out.split("\n");
    expect(titles).toMatch(/^WHEN +WHO +WHAT +TARGET$/);
    expect(first).toMatch(new RegExp(`owner \\(.*\\) +session deleted +session ${session}, force$`));
    expect(second).toMatch(new RegExp(`owner \\(.*\\) +stop requested +session ${session}, turn `));
    const { items, next } = await holdfastJson<DeedList>(env, ["audit", "--limit", "2"]);
    expect(items).toMatchObject([{ deed: "session_deleted" }, { deed: "stop_requested" }]);
    expect(more).toBe(`more with: --after ${next}`);
    const [older] = (await holdfastJson<DeedList>(env, ["audit", "--after", next ?? ""])).items;
    expect(older?.what["session"]).not.toBe(session);
    expect((await holdfast(env, ["audit", "--limit", "0"])).code).toBe(2);
  });
});

describe("usage", () => {
  it("shows tokens and costs by day or whatever else, with their total, and as JSON", async () => {
    const session = await server.create("thrifty");
    const step = (model: string, usage: Usage): NewEvent => ({
      type: "step_completed",
      data: { step: "s1", attempt: 1, message: [], model, usage },
    });
    await server.append(session, [
      step("known", { inputTokens: 1200, outputTokens: 30, cachedTokens: 1000, cost: 0.5 }),
      step("unknown", { inputTokens: 7, outputTokens: 5 }),
    ]);
    const only = ["--session", "thrifty"];
    const { code, out } = await holdfast(env, ["usage", "--by", "model", ...only, "--since", "7d"]);
    expect(code).toBe(0);
    const lines = out.split("\n").map((line) => line.split(/ +/).filter((cell) => cell !== ""));
    expect(lines.slice(0, 4)).toEqual([
      ["MODEL", "STEPS", "IN", "CACHED", "OUT", "REASONING", "COST", "UNPRICED"],
      ["known", "1", "1,200", "1,000", "30", "0", "$0.50", "0"],
      ["unknown", "1", "7", "0", "5", "0", "unknown", "12"],
      ["total", "2", "1,207", "1,000", "35", "0", "$0.50", "12"],
    ]);
    expect(out).toContain("12 tokens in no cost");
    expect((await holdfast(env, ["usage", "--by", "session", ...only])).out).toMatch(
      new RegExp(`${session} +thrifty +2 `),
    );
    const report = await holdfastJson<UsageReport>(env, ["usage", ...only]);
    expect(report).toMatchObject({ by: "day", total: { steps: 2, cost: 0.5 }, items: [{ steps: 2 }] });
    await holdfast(env, ["sessions", "rm", session, "--force"]);
    const after = await holdfastJson<UsageReport>(env, ["usage", "--session", session]);
    expect(after.total).toEqual(report.total);
    expect((await holdfast(env, ["usage", "--until", "2001-01-01"])).out).toBe("Nothing was used.\n");
    expect((await holdfast(env, ["usage", "--session", "ses_none"])).code).toBe(3);
    for (const wrong of [
      ["--by", "week"],
      ["--since", "soon"],
      ["--since", "2026-13-01"],
    ])
      expect((await holdfast(env, ["usage", ...wrong])).code).toBe(2);
  });
});

const approval = (ask: string): NewEvent => ({
  type: "ask_opened",
  data: { ask, kind: "approval", title: "shell: rm", command: "rm -rf build\x1b[2J", cwd: "/work" },
});

const question = (ask: string): NewEvent => ({
  type: "ask_opened",
  data: { ask, kind: "clarify", title: "which?" },
});

async function turn(session: string, name: string): Promise<void> {
  await server.play(session, new Script(name).admit(`question ${name}`, `inp_${name}`));
  const queued = (await show(session)).view.queue[0];
  await server.play(
    session,
    new Script(name)
      .take(queued?.input ?? "", queued?.position ?? "")
      .begin()
      .complete([{ type: "text", text: `answer ${name}` }])
      .end(),
  );
}
