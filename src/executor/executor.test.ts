import { mkdir, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ContextMessage } from "../driver/driver.ts";
import type { AnyEvent } from "../session/event.ts";
import { edit } from "../tool/edit.ts";
import type { Tool } from "../tool/tool.ts";
import { toolbox } from "../tool/toolbox.ts";
import { ids, owner, results, types, useScene } from "./scene.ts";
import type { Script } from "./scripted-driver.ts";

const scene = useScene();
const ASKS = { policy: { approvals: "ask", config: [] } } as const;

async function untilAsk(session: string): Promise<string> {
  const opened = (await scene.untilFact(session, "ask_opened")).find(({ type }) => type === "ask_opened");
  return (opened as AnyEvent & { data: { ask: string } }).data.ask; // it is there, or the wait goes on
}

describe("a turn", () => {
  it("answers an input and is over", async () => {
    await scene.run(() => "Hello there.");
    const session = await scene.send("hi");
    const log = await scene.untilFact(session, "turn_ended");
    expect(types(log)).toEqual([
      "session_created",
      "input_admitted",
      "session_titled",
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
    const driver = await scene.run(({ context }) =>
      context.length === 1
        ? { call: "shell", args: { command: "echo out; echo err >&2; exit 3" } }
        : "It failed.",
    );
    const log = await scene.untilFact(await scene.send("run it"), "turn_ended");
    expect(results(log)).toMatchObject([{ status: "error", exit: 3 }]);
    expect(driver.requests[1]?.context.at(-1)).toMatchObject({
      role: "tool",
      name: "shell",
      result: expect.stringContaining("out\nerr\n"),
    });
  });

  it("runs the calls of a step at once and goes on when all have their results", async () => {
    await scene.run(({ context }) =>
      context.length === 1
        ? { calls: ["a", "b", "c"].map((name) => ({ call: "write", args: { path: name, text: name } })) }
        : "Three files.",
    );
    await scene.untilFact(await scene.send("write"), "turn_ended");
    expect(
      await Promise.all(["a", "b", "c"].map((name) => readFile(join(scene.workspace, name), "utf8"))),
    ).toEqual(["a", "b", "c"]);
  });

  it.each([
    ["an unknown tool", { call: "fly", args: {} }, /no tool "fly"/],
    ["arguments that do not fit", { call: "shell", args: { comand: "ls" } }, /do not fit/],
    ["arguments that are no JSON", { call: "shell", args: { broken_json: '{"comm' } }, /not JSON/],
    [
      "a time limit for what is not waited for",
      { call: "shell", args: { command: "sleep 600", background: true, timeoutSeconds: 2 } },
      /timeoutSeconds: .*no time limit.*`process` stops/,
    ],
    ["a directory that is gone", { call: "shell", args: { command: "ls", cwd: "gone" } }, /no directory/],
  ])("tells the model of %s, and goes on", async (_, line, expected) => {
    await scene.run(({ context }) => (context.length === 1 ? line : "I see."));
    const log = await scene.untilFact(await scene.send("go"), "turn_ended");
    expect(results(log)[0]).toMatchObject({ status: "error", result: expect.stringMatching(expected) });
    expect(log.at(-1)?.data).toMatchObject({ outcome: "completed" });
  });

  it("takes the next input from the queue when it is over", async () => {
    await scene.run(({ context }) => `Answer ${context.length}`);
    const session = await scene.send("one");
    await scene.send("two", session);
    const log = await scene.untilFact(session, "turn_ended", 2);
    expect(types(log).filter((type) => type === "turn_started")).toHaveLength(2);
  });

  it("is stopped by a fact: its command ends, its words stay, the queue is held", async () => {
    await scene.run(({ context }) =>
      context.length === 1 ? { call: "shell", args: { command: "echo begun; sleep 600" } } : "never",
    );
    const session = await scene.send("long");
    await scene.send("next", session);
    await scene.untilFact(session, "draft");
    await stop(session);
    const log = await scene.untilFact(session, "queue_held");
    expect(results(log)).toMatchObject([{ status: "stopped" }]);
    expect((await scene.store.view(session))?.processes).toEqual([]);
    expect(await scene.store.session(session, "owner")).toMatchObject({ status: "idle", queued: 1 });
  });

  it("keeps the half sentence of a model that was stopped", async () => {
    await scene.run(() => ({ hangs: "I was just about to" }));
    const session = await scene.send("talk");
    await scene.untilFact(session, "draft");
    await stop(session);
    await scene.untilFact(session, "turn_ended");
    const after = await scene.store.view(session);
    expect(after?.messages.find(({ kind }) => kind === "step")).toMatchObject({
      state: "aborted",
      parts: [{ text: "I was just about to" }],
    });
  });

  it("tells a model that was stopped what it had said until then", async () => {
    await scene.run(({ context }) =>
      context.length === 1 ? { hangs: "I was just about to" } : JSON.stringify(context.map(words)),
    );
    const session = await scene.send("talk");
    await scene.untilFact(session, "draft");
    await stop(session);
    await scene.untilFact(session, "turn_ended");
    await scene.send("go on", session);
    const log = await scene.untilFact(session, "turn_ended", 2);
    const told = log.findLast(({ type }) => type === "step_completed");
    expect(told?.data).toMatchObject({
      message: [
        {
          text: JSON.stringify([
            "talk",
            "I was just about to",
            "[Holdfast] A person stopped this answer here.",
            "go on",
          ]),
        },
      ],
    });
  });
});

describe("an approval", () => {
  it("is asked for in the order of the calls", async () => {
    const commands = ["echo one", "echo two", "echo three", "echo four"];
    await scene.run(
      () => ({ calls: commands.map((command) => ({ call: "shell", args: { command } })) }),
      ASKS,
    );
    const log = await scene.untilFact(await scene.send("all of them"), "ask_opened", commands.length);
    const opened = log.filter(({ type }) => type === "ask_opened");
    expect(opened.map(({ data }) => data)).toMatchObject(commands.map((command) => ({ command })));
  });

  const script: Script = ({ context }) =>
    context.length === 1 ? { call: "shell", args: { command: "echo ran >> marker" } } : "Done.";

  it("waits as a row that holds no lease, and goes on when it is answered", async () => {
    await scene.run(script, ASKS);
    const session = await scene.send("go");
    const opened = (await scene.untilFact(session, "ask_opened")).at(-1)?.data as {
      ask: string;
      digest: string;
      command: string;
    };
    expect(opened).toMatchObject({
      command: "echo ran >> marker",
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    await expect.poll(async () => (await scene.store.overview()).leases).toEqual([]);
    expect(await scene.store.session(session, "owner")).toMatchObject({
      status: "waiting",
      attention: { kind: "approval", count: 1 },
    });
    await scene.store.append(
      session,
      [{ type: "ask_answered", data: { ask: opened.ask, kind: "approval", answer: { choice: "once" } } }],
      { by: "client", author: owner },
    );
    await scene.untilFact(session, "turn_ended");
    expect(await readFile(join(scene.workspace, "marker"), "utf8")).toBe("ran\n");
  });

  it("shows all that there is to judge by: what is searched for and where, what is written, what is replaced", async () => {
    await mkdir(join(scene.workspace, "real"));
    await symlink("real", join(scene.workspace, "way"));
    const long = "é".repeat(30_000);
    const calls = [
      { call: "search", args: { pattern: "root", path: "/etc/../etc/passwd" } },
      { call: "write", args: { path: "way/x.txt", text: long } },
      { call: "edit", args: { path: "./x.txt", old: "a\n", new: "b" } },
      { call: "shell", args: { command: "make", background: true } },
    ];
    const config = ["write", "edit"].map((tool) => ({ tool, match: "*", decision: "ask" as const }));
    await scene.run(() => ({ calls }), { policy: { approvals: "ask", config } });
    const session = await scene.send("may I");
    await scene.untilFact(session, "ask_opened", calls.length);
    const { items } = await scene.store.asks({ open: true, limit: 10 });
    expect(items.toReversed()).toMatchObject([
      {
        title: "search: root in /etc/passwd",
        cwd: scene.workspace,
        details: [
          { name: "pattern", text: "root" },
          { name: "path", text: "/etc/../etc/passwd" },
        ],
      },
      {
        title: "write: way/x.txt",
        details: [
          { name: "path", text: "way/x.txt" },
          { name: "text", text: long.slice(0, 20_000), bytes: 60_000 },
          { name: "leads to", text: "real/x.txt" },
        ],
      },
      {
        title: "edit: x.txt",
        details: [
          { name: "path", text: "./x.txt" },
          { name: "old", text: "a\n" },
          { name: "new", text: "b" },
        ],
      },
      { title: "shell: make", command: "make", details: [{ name: "background", text: "true" }] },
    ]);
    const asks = (await scene.store.view(session))?.asks ?? [];
    expect(asks.map(({ details }) => details)).toEqual(items.toReversed().map(({ details }) => details));
  });

  it("that was denied tells the model why, and nothing runs", async () => {
    await scene.run(script, ASKS);
    const session = await scene.send("go");
    const id = await untilAsk(session);
    await scene.store.append(
      session,
      [
        {
          type: "ask_answered",
          data: { ask: id, kind: "approval", answer: { choice: "deny", text: "not today" } },
        },
      ],
      { by: "client", author: owner },
    );
    const log = await scene.untilFact(session, "turn_ended");
    expect(results(log)).toMatchObject([{ status: "denied", result: "The person denied this: not today" }]);
    await expect(readFile(join(scene.workspace, "marker"))).rejects.toThrow("ENOENT");
  });

  it("for the session is not asked for again", async () => {
    await scene.run(
      ({ context }) =>
        context.length < 4 ? { call: "shell", args: { command: "echo ran >> marker" } } : "Done.",
      ASKS,
    );
    const session = await scene.send("go");
    const id = await untilAsk(session);
    await scene.store.append(
      session,
      [{ type: "ask_answered", data: { ask: id, kind: "approval", answer: { choice: "session" } } }],
      { by: "client", author: owner },
    );
    const log = await scene.untilFact(session, "turn_ended");
    expect(types(log).filter((type) => type === "ask_opened")).toHaveLength(1);
    expect(await readFile(join(scene.workspace, "marker"), "utf8")).toBe("ran\nran\n");
  });

  it("for good is not asked for again in any session, until its rule is taken back", async () => {
    await scene.run(
      ({ context }) =>
        context.at(-1)?.role === "person"
          ? { call: "shell", args: { command: "echo ran >> marker" } }
          : "Done.",
      ASKS,
    );
    const session = await scene.send("go");
    const ask = await untilAsk(session);
    await scene.append(session, {
      type: "ask_answered",
      data: { ask, kind: "approval", answer: { choice: "always" } },
    });
    await scene.untilFact(session, "turn_ended");
    const other = await scene.send("go");
    expect(types(await scene.untilFact(other, "turn_ended"))).not.toContain("ask_opened");

    const [rule] = await scene.store.rules("default");
    expect(rule).toMatchObject({ tool: "shell", decision: "allow", shown: "echo ran >> marker" });
    const { items: deeds } = await scene.store.deeds({ limit: 5 });
    expect(deeds).toMatchObject([
      {
        deed: "rule_made",
        by: owner,
        what: { rule: rule?.id, profile: "default", tool: "shell", session, ask },
      },
    ]);
    await scene.store.removeRule(rule?.id ?? "");
    await scene.send("once more", session);
    await scene.untilFact(session, "ask_opened", 2);
    expect(await readFile(join(scene.workspace, "marker"), "utf8")).toBe("ran\nran\n");
  });
});

describe("a question", () => {
  it("is put to the person, and the answer is the result", async () => {
    await scene.run(({ context }) =>
      context.length === 1
        ? { call: "ask", args: { question: "Which?", choices: ["red", "blue"] } }
        : "Blue it is.",
    );
    const session = await scene.send("paint");
    const id = await untilAsk(session);
    await scene.store.append(
      session,
      [
        {
          type: "ask_answered",
          data: { ask: id, kind: "clarify", answer: { values: ["2"], text: "a dark one" } },
        },
      ],
      { by: "client", author: owner },
    );
    const log = await scene.untilFact(session, "turn_ended");
    expect(results(log)).toMatchObject([{ status: "ok", result: "blue: a dark one" }]);
  });
});

describe("a provider", () => {
  it("that fails for now is tried again at a time that stands in the log", async () => {
    let calls = 0;
    await scene.run(() =>
      ++calls < 3
        ? { fault: { class: "rate_limit", message: "slow down", retryAfterMs: 30_000 } }
        : "At last.",
    );
    const session = await scene.send("go");
    await scene.untilFact(session, "step_aborted");
    expect(await scene.store.session(session, "owner")).toMatchObject({
      status: "waiting",
      retryAt: expect.any(String),
    });
    scene.advance(31_000);
    await scene.untilFact(session, "step_aborted", 2);
    scene.advance(31_000);
    const log = await scene.untilFact(session, "turn_ended");
    expect(log.at(-1)?.data).toMatchObject({ outcome: "completed" });
    expect(types(log).filter((type) => type === "step_started")).toHaveLength(3);
  });

  it("that fails for now loses no turn to the time in which nobody could try it, and ends one all the same", async () => {
    const script = () => ({ fault: { class: "network", message: "not reachable" } }) as const;
    const retry = { firstMs: 4_000, mostMs: 4_000, totalMs: 15_000 };
    await scene.run(script, {}, { retry });
    const session = await scene.send("go");
    await scene.untilFact(session, "step_aborted");
    await scene.stop();
    scene.advance(3600_000);
    await scene.run(script, {}, { retry });
    const woken = await scene.untilFact(session, "step_aborted", 2);
    expect(types(woken)).not.toContain("turn_ended");
    for (const tries of [3, 4, 5]) {
      scene.advance(4_000);
      await scene.untilFact(session, "step_aborted", tries);
    }
    const log = await scene.untilFact(session, "turn_ended");
    expect(log.at(-1)?.data).toMatchObject({ outcome: "failed", error: { code: "network" } });
    expect(types(log).filter((type) => type === "step_started")).toHaveLength(5);
  });

  it("is tried again though the clock was set back by hours meanwhile", async () => {
    let calls = 0;
    await scene.run(() =>
      ++calls === 1
        ? { fault: { class: "rate_limit", message: "slow down", retryAfterMs: 30_000 } }
        : "At last.",
    );
    const session = await scene.send("go");
    await scene.untilFact(session, "step_aborted");
    scene.advance(-5 * 3600_000);
    const log = await scene.untilFact(session, "turn_ended");
    expect(log.at(-1)?.data).toMatchObject({ outcome: "completed" });
  });

  it("that can't be used ends the turn at once, with its reason", async () => {
    await scene.run(() => ({ fault: { class: "auth", message: "the key was refused" } }));
    const log = await scene.untilFact(await scene.send("go"), "turn_ended");
    expect(log.at(-1)?.data).toMatchObject({
      outcome: "failed",
      error: { code: "auth", message: "the key was refused" },
    });
  });

  it.each(["auth", "unknown_model"] as const)(
    "that would refuse every prompt (%s) spends none of those that wait: they are held until the next send",
    async (fault) => {
      const session = await scene.send("one");
      await scene.send("two", session);
      await scene.run(({ context }) =>
        context.length === 1 ? { fault: { class: fault, message: "never" } } : "Well.",
      );
      const log = await scene.untilFact(session, "queue_held");
      expect(types(log).slice(-3)).toEqual(["step_aborted", "turn_ended", "queue_held"]);
      expect(log.at(-1)?.data).toEqual({ reason: `failed: ${fault}` });
      expect(await scene.store.session(session, "owner")).toMatchObject({ status: "idle", queued: 1 });
      await scene.send("three", session);
      const later = await scene.untilFact(session, "turn_ended", 3);
      expect(types(later).filter((type) => type === "queue_held")).toHaveLength(1);
    },
  );

  it("that refuses one prompt is asked the next, and one that can't be used holds nothing if nothing waits", async () => {
    const session = await scene.send("one");
    await scene.send("two", session);
    await scene.run(({ context }) =>
      context.length === 1
        ? { fault: { class: "refused", message: "not this" } }
        : { fault: { class: "auth", message: "the key was refused" } },
    );
    const log = await scene.untilFact(session, "turn_ended", 2);
    await scene.stop();
    expect(types(log)).not.toContain("queue_held");
    expect(log.at(-1)?.data).toMatchObject({ error: { code: "auth" } });
  });

  it("that can't be used holds nothing back from another model that was chosen meanwhile", async () => {
    const session = await scene.send("one");
    await scene.send("two", session);
    await scene.append(session, { type: "model_changed", data: { model: "gone" } });
    let refuse = () => {};
    const refused = new Promise<void>((resolve) => (refuse = resolve));
    await scene.run(() => "Well.", {
      driver: {
        async step({ model }) {
          const message = [{ type: "text" as const, text: "Well." }];
          if (model !== "gone") return { outcome: "completed", message, usage: null, finish: "stop" };
          await refused;
          return { outcome: "failed", fault: { class: "unknown_model", message: "never" } };
        },
      },
    });
    await scene.untilFact(session, "step_started");
    await scene.append(session, { type: "model_changed", data: { model: "there" } });
    refuse();
    const log = await scene.untilFact(session, "turn_ended", 2);
    expect(types(log)).not.toContain("queue_held");
    expect(log.at(-1)?.data).toMatchObject({ outcome: "completed" });
  });
});

it("a profile that is not there ends the turn and says so", async () => {
  await scene.run(() => "never");
  const id = ids.next("ses");
  await scene.store.createSession(
    {
      id,
      profile: "nobody",
      first: [{ type: "input_admitted", data: { input: "inp_1", kind: "prompt", text: "x" } }],
    },
    owner,
  );
  const log = await scene.untilFact(id, "turn_ended");
  expect(log.at(-1)?.data).toMatchObject({ outcome: "failed", error: { code: "unusable_profile" } });
});

it("a profile that is not there spends none of the prompts that wait", async () => {
  await scene.run(() => "never");
  const id = ids.next("ses");
  const first = ["inp_1", "inp_2"].map((input) => ({
    type: "input_admitted" as const,
    data: { input, kind: "prompt" as const, text: "x" },
  }));
  await scene.store.createSession({ id, profile: "nobody", first }, owner);
  const log = await scene.untilFact(id, "queue_held");
  expect(types(log).filter((type) => type === "turn_started")).toHaveLength(1);
  expect(types(log).slice(-2)).toEqual(["turn_ended", "queue_held"]);
});

/** As a person does. */
async function stop(session: string): Promise<void> {
  const view = await scene.store.view(session);
  await scene.store.append(session, [{ type: "stop_requested", data: { turn: view!.turn!.id } }], {
    by: "client",
    author: owner,
  });
}

function words(message: ContextMessage): string {
  if (message.role === "tool") return message.result;
  if (message.role === "person") return message.text;
  return message.pieces.map((piece) => (piece.type === "text" ? piece.text : "")).join("");
}

it("a tool that fails before it begins is told to the model, and the turn goes on", async () => {
  const broken = {
    ...(edit as Tool),
    prepare: () => Promise.reject(new Error("out of order")),
  } as Tool;
  await scene.run(
    ({ context }) =>
      context.length === 1 ? { call: "edit", args: { path: "a", old: "b", new: "c" } } : "Another way, then.",
    { toolbox: toolbox(new Map([["edit", broken]])) },
  );
  const events = await scene.untilFact(await scene.send("go"), "turn_ended");
  expect(results(events)).toMatchObject([
    { status: "error", result: "The tool itself failed: out of order" },
  ]);
  expect(events.at(-1)?.data).toMatchObject({ outcome: "completed" });
});
