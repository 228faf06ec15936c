import { PassThrough } from "node:stream";
import { expect, onTestFinished, test, vi } from "vitest";
import { capture } from "../../../test/captured-terminal.ts";
import { openServer, TOKEN, useServer } from "../../../test/open-server.ts";
import { freePort } from "../../../test/server-process.ts";
import { startProxy } from "../../../test/tcp-proxy.ts";
import { virtualScreen } from "../../../test/virtual-screen.ts";
import type { NewEvent } from "../../session/event.ts";
import { START } from "../../session/position.ts";
import type { Deps } from "../deps.ts";
import { run } from "../program.ts";

const shared = useServer();

test("a new session begins with what is typed, and its answer comes word by word", async () => {
  const chat = startChat();
  await chat.shows("A new session begins with what you type");
  chat.type("why is the build red?\r");
  await chat.shows("why is the build red?");
  const session = await newest();
  await turn(session);
  await append(session, [draft("s1.1/0", 0, "Because of ")]);
  await chat.shows("Because of");
  expect(chat.last()).toMatch(/^queue ❯/);
  await append(session, [draft("s1.1/0", 11, "one test.")]);
  await chat.shows("Because of one test.");
  await append(session, [
    { type: "step_completed", data: { step: "s1", attempt: 1, message: [text("Because of one test.")] } },
    { type: "turn_ended", data: { turn: "t1", outcome: "completed" } },
  ]);
  await chat.shows("── completed");
  expect(chat.screen().match(/Because of one test\./g)).toHaveLength(1);
  expect(chat.last()).toBe("❯");
  chat.type("\x04");
  expect(await chat.ended).toBe(0);
  expect(chat.screen()).toContain(`Come back with: holdfast chat ${session}`);
});

test("what is typed in one go begins one session and stays in its order", async () => {
  const chat = startChat();
  chat.type("first\rsecond\rthird\r");
  await chat.shows("third");
  const session = await newest();
  const { queue } = (await shared().store.view(session)) ?? { queue: [] };
  expect(queue.map(({ text: said }) => said)).toEqual(["first", "second", "third"]);
});

test("tools are rows with their outcome; while they run the bottom says for how long", async () => {
  const { session, chat } = await talking();
  const call = { type: "call", call: "c1", name: "shell", args: { command: "npm test" } } as const;
  await append(session, [
    { type: "step_completed", data: { step: "s1", attempt: 1, message: [call] } },
    {
      type: "tool_proposed",
      data: { step: "s1", call: "c1", name: "shell", args: call.args, effect: "unsafe" },
    },
    { type: "tool_started", data: { call: "c1" } },
    { type: "draft", data: { part: "c1/0", kind: "output", offset: 0, text: "running 12 tests\n" } },
  ]);
  await chat.shows("⚙ shell npm test");
  await chat.shows("│ running 12 tests");
  await chat.shows(/⋯ shell npm test · \d+ s · running 12 tests/);
  await append(session, [
    { type: "tool_finished", data: { call: "c1", status: "error", result: "no", exit: 1 } },
  ]);
  await chat.shows("✗ error · exit 1");
  expect(chat.screen()).not.toContain("⋯");
});

test("an approval is answered in place by its number, with the exact command in view", async () => {
  const { session, chat } = await talking();
  await append(session, [approval("ask_c1")]);
  await chat.shows("$ rm -rf build");
  await chat.shows("1 Once   2 In this session   3 Always   4 Deny");
  await chat.shows("3 saves exactly this");
  chat.type("what is that?\r");
  await vi.waitFor(async () => expect(await types(session)).toContain("input_admitted"));
  chat.type("4 not there\r");
  await chat.shows("answered: deny: not there");
  expect(await shared().store.ask("ask_c1")).toMatchObject({ answer: { choice: "deny", text: "not there" } });
  expect(chat.screen()).not.toContain("4 Deny");
});

test("words that begin as a choice does approve nothing: they are queued, every one of them", async () => {
  const { session, chat } = await talking();
  await append(session, [approval("ask_c10")]);
  await chat.shows("$ rm -rf build");
  chat.type("Always use tabs, not spaces\r");
  await chat.shows("1 queued");
  expect(await shared().store.view(session)).toMatchObject({
    asks: [{ ask: "ask_c10" }],
    queue: [{ text: "Always use tabs, not spaces" }],
  });
});

test("a question is answered in words or by a choice, and another's answer is no failure", async () => {
  const { session, chat } = await talking();
  await append(session, [question("ask_c2"), question("ask_c3")]);
  await chat.shows("(and 1 other)");
  chat.type("2\r");
  await vi.waitFor(async () =>
    expect(await shared().store.ask("ask_c2")).toMatchObject({ answer: { values: ["2"] } }),
  );
  await shared().call("POST", "/api/asks/ask_c3/answer", { text: "elsewhere" }, 200);
  await chat.shows("answered: elsewhere");
  expect(chat.last()).toMatch(/^queue ❯/);
});

test("where choices are numbers themselves, a number is not the place of one", async () => {
  const { session, chat } = await talking();
  await append(session, [question("ask_c16", ["1", "3", "5"])]);
  await chat.shows('"1"   "3"   "5"');
  chat.type("2\r");
  await chat.shows("answered: 2");
  expect(await shared().store.ask("ask_c16")).toMatchObject({ answer: { text: "2" } });
});

test("what a delegate asks is told with the way there, until it is answered", async () => {
  const { session, chat } = await talking();
  const child = `${session}_child`;
  const origin = { kind: "delegation", session } as const;
  await shared().store.createSession({ id: child, profile: "default", origin }, { person: "owner" });
  await append(session, [{ type: "delegated", data: { session: child, call: "c1", background: false } }]);
  await append(child, [approval("ask_c9")]);
  await chat.shows(`? shell: rm\n  ${child} waits for you: /resume ${child}`);
  await shared().call("POST", "/api/asks/ask_c9/answer", { choice: "once" }, 200);
  await vi.waitFor(() => expect(chat.screen()).not.toContain("waits for you"));
});

test("words that came too late for a question are back in the line, and answer no other", async () => {
  const { session, chat } = await talking();
  await append(session, [question("ask_c5"), question("ask_c6")]);
  await chat.shows("(and 1 other)");
  chat.type("straight on\rround the house\r"); // both for the question that stood there
  await chat.shows(": straight on. Your words are back in the line.");
  expect(await shared().store.ask("ask_c5")).toMatchObject({ answer: { text: "straight on" } });
  await vi.waitFor(() => expect(chat.last()).toMatch(/^queue ❯ round the house/));
  chat.type("\r");
  await chat.shows("1 queued");
  expect(await shared().store.view(session)).toMatchObject({
    asks: [{ ask: "ask_c6" }],
    queue: [{ text: "round the house" }],
  });
});

test("Return answers what was asked when the line was begun, and not what stands there since", async () => {
  const { session, chat } = await talking();
  await append(session, [approval("ask_c11", "echo harmless"), approval("ask_c12", "echo dangerous")]);
  await chat.shows("(and 1 other)");
  chat.type("1");
  await chat.shows("1–4 answers ❯ 1");
  await shared().call("POST", "/api/asks/ask_c11/answer", { choice: "deny" }, 200);
  await chat.shows("$ echo dangerous");
  await chat.shows("what you began this line for is closed");
  chat.type("\r");
  await chat.shows(/ask_c11 was answered by owner at .*: deny\. Nothing else was answered\./);
  expect(await shared().store.view(session)).toMatchObject({ asks: [{ ask: "ask_c12" }], queue: [] });
  chat.type("1\r");
  await chat.shows("answered: once");
  expect(await shared().store.ask("ask_c12")).toMatchObject({ answer: { choice: "once" } });
});

test("/approve and /deny answer what was asked when they were begun, and else nothing", async () => {
  const { session, chat } = await talking();
  await append(session, [approval("ask_c13", "echo harmless")]);
  await chat.shows("$ echo harmless");
  chat.type("/approve");
  await chat.shows("❯ /approve");
  await shared().call("POST", "/api/asks/ask_c13/answer", { choice: "once" }, 200);
  await append(session, [approval("ask_c14", "echo dangerous")]);
  await chat.shows("$ echo dangerous");
  chat.type("\r");
  await chat.shows("Nothing else was answered.");
  expect(await shared().store.ask("ask_c14")).toMatchObject({ state: "open" });
  chat.type("/deny not there\r");
  await chat.shows("answered: deny: not there");

  chat.type("/approve");
  await chat.shows("queue ❯ /approve");
  await append(session, [approval("ask_c15", "echo later")]);
  await chat.shows("$ echo later");
  chat.type("\r");
  await chat.shows("it was asked after you began this line");
  expect(await shared().store.ask("ask_c15")).toMatchObject({ state: "open" });
  chat.type("/approve\r");
  await chat.shows("answered: once");
});

test("a line that was begun before the question came is queued, and the next one answers", async () => {
  const { session, chat } = await talking();
  chat.type("and then dep");
  await chat.shows("queue ❯ and then dep");
  await append(session, [question("ask_c4")]);
  await chat.shows("1 Left   2 Right");
  await chat.shows("asked after you began this line");
  chat.type("loy\r");
  await chat.shows("1 queued");
  expect(await shared().store.view(session)).toMatchObject({
    asks: [{ ask: "ask_c4" }],
    queue: [{ text: "and then deploy" }],
  });
  expect(chat.last()).toMatch(/^answer ❯/);
  chat.type("left\r");
  await chat.shows("answered: ");
  expect(await shared().store.ask("ask_c4")).toMatchObject({ answer: { values: ["1"] } });
});

test("what is typed while a turn runs is queued, or steers it: Tab chooses, visibly", async () => {
  const { session, chat } = await talking();
  expect(chat.screen()).toContain("Tab: steer instead of queue");
  chat.type("and then?\r");
  await chat.shows("1 queued");
  expect(chat.screen().split("and then?")).toHaveLength(2);
  await chat.shows("  queued: and then?\n");
  chat.type("\t");
  await chat.shows("Tab: queue instead of steer");
  expect(chat.last()).toMatch(/^steer ❯/);
  chat.type("to the left\r");
  await chat.shows("2 queued");
  const { queue } = (await shared().store.view(session)) ?? { queue: [] };
  expect(queue.map(({ kind, text: said }) => [kind, said])).toEqual([
    ["prompt", "and then?"],
    ["steer", "to the left"],
  ]);
});

test("Ctrl-C stops the turn, and once more leaves while the session goes on", async () => {
  const { session, chat } = await talking();
  chat.type("half a line");
  await chat.shows("half a line");
  chat.type("\x03");
  await vi.waitFor(() => expect(chat.screen()).not.toContain("half a line"));
  expect(await types(session)).not.toContain("stop_requested");
  expect(chat.screen()).not.toContain("again leaves");
  chat.type("\x03");
  await chat.shows("stopping");
  expect((await types(session)).filter((type) => type === "stop_requested")).toHaveLength(1);
  chat.type("\x03");
  expect(await chat.ended).toBe(0);
  expect(chat.screen()).toContain("It goes on without you.");
});

test("going back is followed into the successor, where only what is new is printed", async () => {
  const { session, chat } = await talking();
  await append(session, [
    { type: "step_completed", data: { step: "s1", attempt: 1, message: [text("The first try.")] } },
    { type: "turn_ended", data: { turn: "t1", outcome: "completed" } },
  ]);
  await chat.shows("The first try.");
  chat.type("/retry\r");
  await chat.shows("── continued in ses_");
  const successor = await newest();
  expect(successor).not.toBe(session);
  await turn(successor);
  await append(successor, [
    { type: "step_completed", data: { step: "s1", attempt: 1, message: [text("The second try.")] } },
    { type: "turn_ended", data: { turn: "t1", outcome: "completed" } },
  ]);
  await chat.shows("The second try.");
  expect(chat.screen().match(/The first try\./g)).toHaveLength(1);
  chat.type("\x04");
  await chat.ended;
  expect(chat.screen()).toContain(`holdfast chat ${successor}`);
});

test("/retry goes on with a turn that failed, in the same session", async () => {
  const { session, chat } = await talking();
  await append(session, [
    { type: "step_completed", data: { step: "s1", attempt: 1, message: [text("The first half.")] } },
    {
      type: "turn_ended",
      data: { turn: "t1", outcome: "failed", error: { code: "auth", message: "the key was refused" } },
    },
  ]);
  await chat.shows("failed · the key was refused");
  chat.type("/retry\r");
  await chat.shows("── tried again by owner");
  expect((await shared().store.view(session))?.turn).toMatchObject({ inputs: [] });
  expect(await types(session)).not.toContain("session_ended");
  chat.type("\x04");
  await chat.ended;
});

test("a session that is there is shown as it stands; an old link leads to where it goes on", async () => {
  const { session, chat } = await talking();
  await append(session, [
    { type: "step_completed", data: { step: "s1", attempt: 1, message: [text("An answer.")] } },
    { type: "turn_ended", data: { turn: "t1", outcome: "completed" } },
  ]);
  await chat.shows("An answer.");
  chat.type("/undo\r");
  await chat.shows("── continued in");
  const head = await newest();
  const again = startChat(session);
  again.type("here\r");
  await vi.waitFor(async () => expect(await types(head)).toContain("input_admitted"));
  expect(await types(session)).toContain("session_ended");
});

test("/help lists what there is, and nothing else is taken for a command", async () => {
  const { session, chat } = await talking();
  chat.type("/help\r");
  await chat.shows("/steer <text>");
  const listed = [...chat.screen().matchAll(/^ {2}\/(\w+)/gm)].map(([, name]) => name);
  expect(listed).toEqual(
    expect.arrayContaining(["stop", "queue", "retry", "undo", "approve", "deny", "fork"]),
  );
  for (const name of ["compact", "detach", "background", "tasks"]) expect(listed).not.toContain(name);
  chat.type("/compact\r");
  await chat.shows("there is no /compact");
  chat.type("/etc/hosts is what?\r");
  chat.type("//stop means stop\r");
  await vi.waitFor(async () => expect((await shared().store.view(session))?.queue).toHaveLength(2));
  for (const line of ["/queue", "/usage", "/status", "/rules", "/sessions", "/model", "/title Red build"])
    chat.type(`${line}\r`);
  await chat.shows('titled "Red build"');
  await chat.shows("as the profile default says");
  await chat.shows("Nothing was allowed for good.");
  await chat.shows("this session: nothing yet");
  await chat.shows("all sessions: nothing yet");
  await chat.shows("1 prompt: /etc/hosts is what?");
  await chat.shows("2 prompt: /stop means stop");
});

test("a server's no is told and the chat goes on", async () => {
  const chat = startChat();
  chat.type("/undo\r");
  await chat.shows("there is no session yet");
  chat.type("hello\r");
  await chat.shows("hello");
  chat.type("/retry\r");
  await chat.shows("has had no turn yet");
  expect(chat.last()).toBe("❯");
});

test("a server that is gone is waited for: nothing is missed or shown twice, and what was typed meanwhile arrives", async () => {
  const port = await freePort();
  const proxy = await startProxy(`http://127.0.0.1:${port}`);
  onTestFinished(() => proxy.close());
  const server = await openServer({ port, hosts: [new URL(proxy.url).host] });
  const { id } = await server.newSession({ title: "Long", input: { kind: "prompt", text: "go" } });
  const chat = startChatAt(proxy.url, id);
  const say = async (step: string, said: string) => {
    const written = await server.store.append(
      id,
      [
        { type: "step_started", data: { turn: "t1", step, attempt: 1, model: "m" } },
        { type: "step_completed", data: { step, attempt: 1, message: [text(said)] } },
      ],
      { by: "client", author: { person: "owner" } },
    );
    expect(written).toMatchObject({ ok: true });
  };
  await say("s1", "before the cut");
  await chat.shows("before the cut");
  proxy.refuse();
  await chat.shows("the server is gone; waiting for it to come back");
  await say("s2", "while it was cut");
  chat.type("are you there?\r");
  proxy.heal();
  await chat.shows("while it was cut");
  await vi.waitFor(async () => expect((await server.store.view(id))?.queue).toHaveLength(2), 4_000);
  await say("s3", "after it");
  await chat.shows("after it");
  for (const words of ["before the cut", "while it was cut", "after it"])
    expect(chat.screen().split(words)).toHaveLength(2);
});

test("a name that no session has ends the command with what to do", async () => {
  const chat = startChat("ses_nothing");
  expect(await chat.ended).toBe(3);
  expect(chat.err()).toContain("no session's id begins with ses_nothing");
});

const deps = (home: string): Deps => ({
  version: "test",
  settings: () => ({ ok: true, settings: { home, host: "127.0.0.1", port: 1, listed: [] } }),
  serve: () => Promise.reject(new Error("not here")),
  agents: () => Promise.reject(new Error("not here")),
  doctorStore: () => Promise.reject(new Error("not here")),
  backupStore: () => Promise.reject(new Error("not here")),
  restoreStore: () => Promise.reject(new Error("not here")),
  renewStore: () => Promise.reject(new Error("not here")),
});

function startChat(...args: string[]) {
  return startChatAt(shared().url, ...args);
}

function startChatAt(url: string, ...args: string[]) {
  const screen = virtualScreen(120, 30);
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => stdin });
  const [stderr, err] = capture(true, 120);
  const ended = new Promise<number>((resolve) => {
    void run(["chat", ...args], deps(shared().folder), {
      stdin: stdin as unknown as NodeJS.ReadStream & { fd: 0 },
      stdout: screen.stdout as never,
      stderr: stderr as never,
      env: { HOLDFAST_URL: url, HOLDFAST_TOKEN: TOKEN, NO_COLOR: "1" },
      now: Date.now,
      onInterrupt: () => () => {},
      exit: resolve,
    });
  });
  onTestFinished(async () => {
    stdin.write("\x03\x03\x03");
    await ended;
  });
  return {
    type: (keys: string) => stdin.write(keys),
    screen: () => screen.text(),
    /** The line of the prompt. */
    last: () => screen.rows().at(-1) ?? "",
    shows: (words: string | RegExp) => vi.waitFor(() => expect(screen.text()).toMatch(words), 4_000),
    err,
    ended,
  };
}

/** A chat with a session whose turn runs. */
async function talking() {
  const { id: session } = await shared().newSession({ input: { kind: "prompt", text: "go" } });
  await turn(session);
  const chat = startChat(session);
  await chat.shows(/queue ❯/);
  return { session, chat };
}

async function turn(session: string): Promise<void> {
  const view = await shared().store.view(session);
  const queued = view?.queue[0];
  if (!queued) throw new Error("nothing is queued");
  await append(session, [
    { type: "turn_started", data: { turn: "t1", inputs: [queued.input] } },
    { type: "input_delivered", data: { input: queued.input, turn: "t1", from: queued.position } },
    { type: "step_started", data: { turn: "t1", step: "s1", attempt: 1, model: "m" } },
  ]);
}

async function append(session: string, events: NewEvent[]): Promise<void> {
  const appended = await shared().store.append(session, events, {
    by: "client",
    author: { person: "owner" },
  });
  expect(appended).toMatchObject({ ok: true });
}

async function newest(): Promise<string> {
  const { items } = await shared().call<{ items: { id: string; updatedAt: string }[] }>(
    "GET",
    "/api/sessions?limit=200",
  );
  return items.toSorted((a, b) => (a.id < b.id ? 1 : -1))[0]?.id ?? "";
}

const types = async (session: string) =>
  (await shared().store.events(session, START, 1000)).map(({ type }) => type).slice(2);

const text = (said: string) => ({ type: "text", text: said }) as const;

const draft = (part: string, offset: number, said: string): NewEvent => ({
  type: "draft",
  data: { part, kind: "text", offset, text: said },
});

const approval = (ask: string, command = "rm -rf build"): NewEvent => ({
  type: "ask_opened",
  data: { ask, kind: "approval", title: "shell: rm", command, cwd: "/work" },
});

const question = (ask: string, labels = ["Left", "Right"]): NewEvent => ({
  type: "ask_opened",
  data: {
    ask,
    kind: "clarify",
    title: "which?",
    choices: labels.map((label, n) => ({ id: `${n + 1}`, label })),
  },
});
