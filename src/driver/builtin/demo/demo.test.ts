import { expect, test } from "vitest";
import { performStep, textsOf } from "../../../../test/perform-step.ts";
import { ask } from "../../../tool/ask.ts";
import { delegate } from "../../../tool/delegate.ts";
import { edit } from "../../../tool/edit.ts";
import { read } from "../../../tool/read.ts";
import { shell } from "../../../tool/shell.ts";
import { write } from "../../../tool/write.ts";
import type { ContextMessage, WholePiece } from "../../driver.ts";
import { builtinDriver } from "../driver.ts";

type Call = Extract<WholePiece, { type: "call" }>;
type Result = Extract<ContextMessage, { role: "tool" }>;

const ALL_TOOLS = ["shell", "process", "read", "write", "edit", "search", "ask", "delegate", "task"];
const STEPS_MAX = 10;

const atOnce = builtinDriver({ providers: {}, env: {}, pace: async () => {} });

function specs(names: string[]) {
  return names.map((name) => ({ name, description: name, parameters: { type: "object" } }));
}

async function nextMessage(context: ContextMessage[], tools = ALL_TOOLS): Promise<WholePiece[]> {
  const step = `s${context.length}`;
  const { result, deltas } = await performStep(atOnce, {
    model: "demo/script",
    step,
    context,
    tools: specs(tools),
  });
  if (result.outcome !== "completed") throw new Error(JSON.stringify(result));
  expect(Object.keys(textsOf(deltas)).map(Number)).toEqual([...result.message.keys()]);
  return result.message;
}

function person(text: string): ContextMessage {
  return { role: "person", text, files: [] };
}

function callsIn(message: readonly WholePiece[]): Call[] {
  return message.filter((piece) => piece.type === "call");
}

function wordsIn(message: readonly WholePiece[]): string {
  return message.map((piece) => (piece.type === "text" ? piece.text : "")).join("\n");
}

/** Plays until the demo calls nothing any more; `tool` answers its calls. */
async function play(prompt: string, tool: (call: Call) => Partial<Result> = () => ({})) {
  const context: ContextMessage[] = [person(prompt)];
  const calls: Call[] = [];
  for (let step = 0; step < STEPS_MAX; step++) {
    const message = await nextMessage(context);
    expect(wordsIn(message)).toMatch(/^\n*\*\*Demo\*\* · /);
    context.push({ role: "agent", pieces: message });
    if (callsIn(message).length === 0) return { context, calls, last: wordsIn(message) };
    for (const call of callsIn(message)) {
      calls.push(call);
      context.push({
        role: "tool",
        call: call.call,
        name: call.name,
        status: "ok",
        result: "fine",
        ...tool(call),
      });
    }
  }
  throw new Error(`${prompt} did not come to an end`);
}

test("a newcomer is greeted by something that says what it is and what it can show", async () => {
  const words = wordsIn(await nextMessage([person("hi there")]));
  expect(words).toContain("a script, not an AI");
  for (const invitation of [
    "count to twenty",
    "look around",
    "ask me something",
    "show me an approval",
    "delegate",
  ])
    expect(words).toContain(`\`${invitation}\``);
});

test("everything on the menu can be had, with calls that the real tools accept, and comes to an end", async () => {
  const words = wordsIn(await nextMessage([person("hello")]));
  const invitations = words
    .matchAll(/^- `([^`]+)`/gm)
    .map(([, text = ""]) => text)
    .toArray();
  expect(invitations.length).toBeGreaterThan(8);
  const schemas = new Map([shell, read, write, edit, ask, delegate].map(({ name, args }) => [name, args]));
  const used = new Set<string>();
  for (const invitation of invitations) {
    const { calls } = await play(invitation, ({ name, args }) => {
      used.add(name);
      schemas.get(name)?.parse(args);
      return {};
    });
    expect([invitation, calls.length > 0 || invitation === "tell me a story"]).toEqual([invitation, true]);
  }
  expect([...used].sort()).toEqual(["ask", "delegate", "edit", "process", "read", "shell", "write"]);
});

test("the same context has the same answer, so a step that is done again says the same", async () => {
  const { context } = await play("write a note");
  for (let length = 1; length < context.length; length++) {
    const at = context.slice(0, length);
    if (at.at(-1)?.role === "agent") continue;
    expect(await nextMessage(at)).toEqual(await nextMessage(at));
    expect(await nextMessage(at)).toEqual((context[length] as { pieces: unknown }).pieces);
  }
});

test("it tells what the command really said", async () => {
  const ticks = Array.from({ length: 20 }, (_, n) => `tick ${n + 1}`).join("\n");
  expect((await play("count to twenty", () => ({ result: ticks }))).last).toContain(
    "20 ticks, from 1 to 20, each of them once",
  );
  expect((await play("count to twenty", () => ({ result: "tick 1\ntick 1" }))).last).toContain("twice");
});

test("a person's answer decides what it does", async () => {
  const haiku = await play("ask me something", ({ name }) => (name === "ask" ? { result: "A haiku" } : {}));
  expect(haiku.calls.map(({ name }) => name)).toEqual(["ask", "write"]);
  expect(haiku.calls[1]?.args).toMatchObject({ text: expect.stringContaining("has not let go") });
  const own = await play("ask me something", ({ name }) =>
    name === "ask" ? { result: "my own words" } : {},
  );
  expect(own.calls[1]?.args).toMatchObject({ text: "my own words\n" });
  const none = await play("ask me something", () => ({ result: "Nothing, thank you" }));
  expect(none.calls).toHaveLength(1);
});

test.each([
  ["denied", "You said no"],
  ["unknown", "Nobody knows"],
  ["error", "did not work"],
] as const)("a call that ends as %s ends the scene with an honest word", async (status, words) => {
  const { calls, last } = await play("show me an approval", () => ({ status, result: "because of reasons" }));
  expect(calls).toHaveLength(1);
  expect(last).toContain(words);
  expect(last).toContain("because of reasons");
});

test("a failure that belongs to the script is part of it", async () => {
  const { last } = await play("make a mistake", () => ({ status: "error", result: "it does not exist" }));
  expect(last).toContain("As expected");
});

test("the background process is found again and stopped", async () => {
  const list =
    'prc_1_s4-0.1  running since now (working) for i in $(seq 1 300); do echo "beat $i"; sleep 2; done';
  const { calls } = await play("stop the background process", () => ({ result: list }));
  expect(calls.map(({ args }) => args)).toEqual([
    { action: "list" },
    { action: "stop", process: "prc_1_s4-0.1" },
  ]);
});

test("what a person says meanwhile is heard, and the scene goes on", async () => {
  const begun = [
    person("write a note"),
    { role: "agent", pieces: await nextMessage([person("write a note")]) },
  ] as const;
  const done: Result = { role: "tool", call: "s1-2", name: "write", status: "ok", result: "Wrote." };
  const steered = await nextMessage([...begun, done, person("make it short")]);
  expect(wordsIn(steered)).toContain("make it short");
  expect(callsIn(steered).map(({ name }) => name)).toEqual(["edit"]);
  expect(callsIn(await nextMessage([...begun, done, person("enough, thanks")]))).toEqual([]);
});

test("what is said after a stop begins something new", async () => {
  const begun = [
    person("count to twenty"),
    { role: "agent", pieces: await nextMessage([person("count to twenty")]) },
  ] as const;
  const stopped: Result = {
    role: "tool",
    call: "s1-2",
    name: "shell",
    status: "stopped",
    result: "Stopped by a person.",
  };
  expect(
    callsIn(await nextMessage([...begun, stopped, person("write a note")])).map(({ name }) => name),
  ).toEqual(["write"]);
});

test("a profile without a tool is told so instead of a call that must fail", async () => {
  const message = await nextMessage([person("count to twenty")], ["read"]);
  expect(callsIn(message)).toEqual([]);
  expect(wordsIn(message)).toContain("`shell`");
  expect(wordsIn(await nextMessage([person("hello")], ["read"]))).not.toContain("count to twenty");
});

test("what it has no scene for is said back with the menu", async () => {
  const { context } = await play("hello");
  const words = wordsIn(await nextMessage([...context, person("solve the halting problem")]));
  expect(words).toContain("solve the halting problem");
  expect(words).toContain("count to twenty");
});

test("asked without tools it gives a summary of what was asked", async () => {
  const { context } = await play("write a note");
  const words = wordsIn(await nextMessage([...context, person("Summarise.")], []));
  expect(words).toContain("- write a note");
});

test("it speaks a token at a time, at the pace that it is given, and stops within its words", async () => {
  const stop = new AbortController();
  let waited = 0;
  const paced = builtinDriver({
    providers: {},
    env: {},
    pace: async () => {
      waited += 1;
      if (waited === 7) stop.abort("stopped");
    },
  });
  const { result, deltas } = await performStep(paced, { model: "demo" }, stop.signal);
  expect(result).toEqual({ outcome: "stopped" });
  expect(deltas).toHaveLength(6);
});
