import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Spawner } from "../process/spawner.ts";
import type { AnyEvent, NewEvent } from "../session/event.ts";
import { makeIds } from "../session/ids.ts";
import { START } from "../session/position.ts";
import { openSqliteStore } from "../store/sqlite/store.ts";
import type { Store } from "../store/store.ts";
import { ask } from "../tool/ask.ts";
import { edit } from "../tool/edit.ts";
import { read } from "../tool/read.ts";
import { search } from "../tool/search.ts";
import { shell } from "../tool/shell.ts";
import type { Tool } from "../tool/tool.ts";
import { write } from "../tool/write.ts";
import { wallClock } from "./clock.ts";
import type { DrainContext, Profile } from "./drain.ts";
import { Executor } from "./executor.ts";
import { processCommands } from "./process-commands.ts";
import { scriptedDriver, type Script } from "./scripted-driver.ts";
import { USUAL_RETRY } from "./retry-time.ts";
import { USUAL_LIMITS } from "../session/next-step.ts";

const owner = { person: "owner" };
let folder: string;
let workspace: string;
let store: Store;
let spawner: Spawner;
let executor: Executor | undefined;
let offsetMs = 0;
const ids = makeIds(Date.now, randomBytes);

beforeEach(async () => {
  offsetMs = 0;
  folder = await mkdtemp(join(tmpdir(), "holdfast-executor-"));
  workspace = join(folder, "work");
  await mkdir(workspace);
  store = await openSqliteStore({
    file: join(folder, "holdfast.db"),
    node: "nod_1",
    host: "here",
    clock: now,
    ids,
  });
  spawner = new Spawner();
});
afterEach(async () => {
  await executor?.stop();
  executor = undefined;
  await store.close();
  await spawner.close();
  await rm(folder, { recursive: true });
});

function now(): number {
  return Date.now() + offsetMs;
}

function run(script: Script, approvals: Profile["policy"]["approvals"] = "auto") {
  const driver = scriptedDriver(script);
  const tools = new Map([shell, read, write, edit, search, ask].map((tool) => [tool.name, tool as Tool]));
  const profile: Profile = {
    driver,
    model: "scripted/one",
    instructions: "",
    workspace,
    tools,
    policy: { approvals, config: [], saved: [] },
    sandboxed: false,
    price: (_, usage) => usage,
  };
  const context: DrainContext = {
    store,
    profile: (name) => (name === "default" ? profile : undefined),
    commands: processCommands({
      folder: join(folder, "processes"),
      spawner,
      env: () => ({ PATH: process.env["PATH"] ?? "" }),
      sandbox: () => undefined,
    }),
    delegates: () => ({ start: () => Promise.resolve({ refused: "no delegates here" }) }),
    saveRule: () => Promise.resolve(),
    longText: (_, text) => Promise.resolve(text),
    newAsk: () => ids.next("ask"),
    clock: { now, after: wallClock.after },
    chance: () => 0.5,
    limits: USUAL_LIMITS,
    retry: USUAL_RETRY,
    log: { info: () => {}, error: (detail, message) => console.error(message, detail) },
  };
  executor = new Executor(context, { maxTurns: 8, leaseMs: 15_000, pollMs: 50 });
  executor.start();
  return driver;
}

async function send(text: string, session?: string): Promise<string> {
  const input: NewEvent = { type: "input_admitted", data: { input: ids.next("inp"), kind: "prompt", text } };
  if (session !== undefined) {
    await store.append(session, [input], { by: "client", author: owner });
    return session;
  }
  const id = ids.next("ses");
  await store.createSession({ id, profile: "default", workspace, first: [input] }, owner);
  return id;
}

/** Resolves with the log once it holds a fact like this. */
async function untilFact(session: string, type: string, count = 1): Promise<AnyEvent[]> {
  const over = new AbortController();
  const wakes = store.watch(session, over.signal);
  try {
    for (;;) {
      const events = await store.events(session, START, 10_000);
      if (events.filter((event) => event.type === type).length >= count) return events;
      await wakes.next();
    }
  } finally {
    over.abort();
  }
}

async function untilAsk(session: string): Promise<string> {
  const opened = (await untilFact(session, "ask_opened")).find(({ type }) => type === "ask_opened");
  return (opened as AnyEvent & { data: { ask: string } }).data.ask; // it is there, or the wait goes on
}

const types = (events: readonly AnyEvent[]) =>
  events.filter(({ type }) => type !== "draft").map(({ type }) => type);
const results = (events: readonly AnyEvent[]) =>
  events.flatMap(({ type, data }) =>
    type === "tool_finished" ? [data as { status: string; result: string; exit?: number }] : [],
  );

describe("a turn", () => {
  it("answers an input and is over", async () => {
    run(() => "Hello there.");
    const session = await send("hi");
    const log = await untilFact(session, "turn_ended");
    expect(types(log)).toEqual([
      "session_created",
      "input_admitted",
      "turn_started",
      "input_delivered",
      "step_started",
      "step_completed",
      "turn_ended",
    ]);
    expect(log.at(-1)?.data).toMatchObject({
      outcome: "completed",
      usage: { inputTokens: 10, outputTokens: 5 },
    });
    expect(log.filter(({ type }) => type === "draft")).toEqual([]); // swept by the fact that carries the whole
  });

  it("really runs commands, and the model hears their output and exit code", async () => {
    const driver = run(({ context }) =>
      context.length === 1
        ? { call: "shell", args: { command: "echo out; echo err >&2; exit 3" } }
        : "It failed.",
    );
    const log = await untilFact(await send("run it"), "turn_ended");
    expect(results(log)).toMatchObject([{ status: "error", exit: 3 }]);
    expect(driver.requests[1]?.context.at(-1)).toMatchObject({
      role: "tool",
      name: "shell",
      result: expect.stringContaining("out\nerr\n"),
    });
  });

  it("runs the calls of a step at once and goes on when all have their results", async () => {
    run(({ context }) =>
      context.length === 1
        ? { calls: ["a", "b", "c"].map((name) => ({ call: "write", args: { path: name, text: name } })) }
        : "Three files.",
    );
    await untilFact(await send("write"), "turn_ended");
    expect(await Promise.all(["a", "b", "c"].map((name) => readFile(join(workspace, name), "utf8")))).toEqual(
      ["a", "b", "c"],
    );
  });

  it.each([
    ["an unknown tool", { call: "fly", args: {} }, /no tool "fly"/],
    ["arguments that do not fit", { call: "shell", args: { comand: "ls" } }, /do not fit/],
    ["arguments that are no JSON", { call: "shell", args: { broken_json: '{"comm' } }, /not JSON/],
    ["a directory that is gone", { call: "shell", args: { command: "ls", cwd: "gone" } }, /does not exist/],
  ])("tells the model of %s, and goes on", async (_, line, expected) => {
    run(({ context }) => (context.length === 1 ? line : "I see."));
    const log = await untilFact(await send("go"), "turn_ended");
    expect(results(log)[0]).toMatchObject({ status: "error", result: expect.stringMatching(expected) });
    expect(log.at(-1)?.data).toMatchObject({ outcome: "completed" });
  });

  it("takes the next input from the queue when it is over", async () => {
    run(({ context }) => `Answer ${context.length}`);
    const session = await send("one");
    await send("two", session);
    const log = await untilFact(session, "turn_ended", 2);
    expect(types(log).filter((type) => type === "turn_started")).toHaveLength(2);
  });

  it("is stopped by a fact: its command ends, its words stay, the queue is held", async () => {
    run(({ context }) =>
      context.length === 1 ? { call: "shell", args: { command: "echo begun; sleep 600" } } : "never",
    );
    const session = await send("long");
    await send("next", session);
    await untilFact(session, "draft");
    const view = await store.view(session);
    await store.append(session, [{ type: "stop_requested", data: { turn: view!.turn!.id } }], {
      by: "client",
      author: owner,
    });
    const log = await untilFact(session, "queue_held");
    expect(results(log)).toMatchObject([{ status: "stopped" }]);
    expect((await store.view(session))?.processes).toEqual([]);
    expect(await store.session(session, "owner")).toMatchObject({ status: "idle", queued: 1 });
  });

  it("keeps the half sentence of a model that was stopped", async () => {
    run(() => ({ hangs: "I was just about to" }));
    const session = await send("talk");
    await untilFact(session, "draft");
    const view = await store.view(session);
    await store.append(session, [{ type: "stop_requested", data: { turn: view!.turn!.id } }], {
      by: "client",
      author: owner,
    });
    await untilFact(session, "turn_ended");
    const after = await store.view(session);
    expect(after?.messages.find(({ kind }) => kind === "step")).toMatchObject({
      state: "aborted",
      parts: [{ text: "I was just about to" }],
    });
  });
});

describe("an approval", () => {
  const script: Script = ({ context }) =>
    context.length === 1 ? { call: "shell", args: { command: "echo ran >> marker" } } : "Done.";

  it("waits as a row that holds no lease, and goes on when it is answered", async () => {
    run(script, "ask");
    const session = await send("go");
    const opened = (await untilFact(session, "ask_opened")).at(-1)?.data as {
      ask: string;
      digest: string;
      command: string;
    };
    expect(opened).toMatchObject({
      command: "echo ran >> marker",
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    await expect.poll(async () => (await store.overview()).leases).toEqual([]);
    expect(await store.session(session, "owner")).toMatchObject({
      status: "waiting",
      attention: { kind: "approval", count: 1 },
    });
    await store.append(
      session,
      [{ type: "ask_answered", data: { ask: opened.ask, kind: "approval", answer: { choice: "once" } } }],
      { by: "client", author: owner },
    );
    await untilFact(session, "turn_ended");
    expect(await readFile(join(workspace, "marker"), "utf8")).toBe("ran\n");
  });

  it("that was denied tells the model why, and nothing runs", async () => {
    run(script, "ask");
    const session = await send("go");
    const id = await untilAsk(session);
    await store.append(
      session,
      [
        {
          type: "ask_answered",
          data: { ask: id, kind: "approval", answer: { choice: "deny", text: "not today" } },
        },
      ],
      { by: "client", author: owner },
    );
    const log = await untilFact(session, "turn_ended");
    expect(results(log)).toMatchObject([{ status: "denied", result: "The person denied this: not today" }]);
    await expect(readFile(join(workspace, "marker"))).rejects.toThrow("ENOENT");
  });

  it("for the session is not asked for again", async () => {
    run(
      ({ context }) =>
        context.length < 4 ? { call: "shell", args: { command: "echo ran >> marker" } } : "Done.",
      "ask",
    );
    const session = await send("go");
    const id = await untilAsk(session);
    await store.append(
      session,
      [{ type: "ask_answered", data: { ask: id, kind: "approval", answer: { choice: "session" } } }],
      { by: "client", author: owner },
    );
    const log = await untilFact(session, "turn_ended");
    expect(types(log).filter((type) => type === "ask_opened")).toHaveLength(1);
    expect(await readFile(join(workspace, "marker"), "utf8")).toBe("ran\nran\n");
  });
});

describe("a question", () => {
  it("is put to the person, and the answer is the result", async () => {
    run(({ context }) =>
      context.length === 1
        ? { call: "ask", args: { question: "Which?", choices: ["red", "blue"] } }
        : "Blue it is.",
    );
    const session = await send("paint");
    const id = await untilAsk(session);
    await store.append(
      session,
      [
        {
          type: "ask_answered",
          data: { ask: id, kind: "clarify", answer: { values: ["2"], text: "a dark one" } },
        },
      ],
      { by: "client", author: owner },
    );
    const log = await untilFact(session, "turn_ended");
    expect(results(log)).toMatchObject([{ status: "ok", result: "blue: a dark one" }]);
  });
});

describe("a provider", () => {
  it("that fails for now is tried again at a time that stands in the log", async () => {
    let calls = 0;
    run(() =>
      ++calls < 3
        ? { fault: { class: "rate_limit", message: "slow down", retryAfterMs: 30_000 } }
        : "At last.",
    );
    const session = await send("go");
    await untilFact(session, "step_aborted");
    expect(await store.session(session, "owner")).toMatchObject({
      status: "waiting",
      retryAt: expect.any(String),
    });
    offsetMs += 31_000;
    await untilFact(session, "step_aborted", 2);
    offsetMs += 31_000;
    const log = await untilFact(session, "turn_ended");
    expect(log.at(-1)?.data).toMatchObject({ outcome: "completed" });
    expect(types(log).filter((type) => type === "step_started")).toHaveLength(3);
  });

  it("that can't be used ends the turn at once, with its reason", async () => {
    run(() => ({ fault: { class: "auth", message: "the key was refused" } }));
    const log = await untilFact(await send("go"), "turn_ended");
    expect(log.at(-1)?.data).toMatchObject({
      outcome: "failed",
      error: { code: "auth", message: "the key was refused" },
    });
  });
});

it("a profile that is not there ends the turn and says so", async () => {
  run(() => "never");
  const id = ids.next("ses");
  await store.createSession(
    {
      id,
      profile: "nobody",
      first: [{ type: "input_admitted", data: { input: "inp_1", kind: "prompt", text: "x" } }],
    },
    owner,
  );
  const log = await untilFact(id, "turn_ended");
  expect(log.at(-1)?.data).toMatchObject({ outcome: "failed", error: { code: "unknown_profile" } });
});
