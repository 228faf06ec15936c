import { afterEach, describe, expect, test } from "vitest";
import { startStubModel, type Answer, type Script, type StubModel } from "../../../test/stub-model.ts";
import { performStep, textsOf } from "../../../test/perform-step.ts";
import { brokenText, type ContextMessage, type Delta, type StepRequest, type WholePiece } from "../driver.ts";
import { builtinDriver } from "./driver.ts";
import type { WireKind } from "./endpoint.ts";

const KINDS: WireKind[] = ["openai-compatible", "openai", "anthropic", "google"];
const SHELL = {
  name: "shell",
  description: "Runs a command.",
  parameters: { type: "object", properties: { command: { type: "string" } } },
};

let stub: StubModel | undefined;
afterEach(async () => {
  await stub?.close();
  stub = undefined;
});

async function ask(kind: WireKind, answer: Script | Answer | Answer[]) {
  const server = await startStubModel(answer);
  stub = server;
  const driver = builtinDriver({
    providers: { p: { kind, baseUrl: server.baseUrls[kind], apiKeyEnv: "KEY" } },
    env: { KEY: "a-key-for-tests" },
  });
  return {
    stub: server,
    step: (request: Partial<StepRequest> = {}, ...rest: [AbortSignal?, ((delta: Delta) => void)?]) =>
      performStep(driver, { model: "p/gpt-5", tools: [SHELL], ...request }, ...rest),
  };
}

describe.each(KINDS)("on the wire of %s", (kind) => {
  const answer: Answer = {
    reply: "message",
    reasoning: "Let me see.",
    text: "I look around.",
    calls: [
      { id: "one", name: "shell", args: { command: "ls -la /tmp" } },
      { id: "two", name: "shell", args: { command: "pwd" } },
    ],
    usage: { input: 100, output: 20, cached: 40 },
  };

  test("a message has its pieces in order, and each delta names the piece that it became", async () => {
    const { step } = await ask(kind, answer);
    const { result, deltas } = await step();
    if (result.outcome !== "completed") throw new Error(JSON.stringify(result));
    expect(result.message.map(({ type }) => type)).toEqual(["reasoning", "text", "call", "call"]);
    expect(result.finish).toBe("tools");
    expect(textsOf(deltas)).toEqual(Object.fromEntries(result.message.map(spoken).entries()));
    expect(deltas.every(({ text }) => text !== "")).toBe(true);
    expect(deltas.filter(({ name }) => name !== undefined).map(({ piece, name }) => [piece, name])).toEqual([
      [2, "shell"],
      [3, "shell"],
    ]);
  });

  test("calls are named after their step, whatever the provider calls them", async () => {
    const { step } = await ask(kind, answer);
    const { result } = await step({ step: "s7" });
    expect(result).toMatchObject({ message: [{}, {}, { call: "s7-2" }, { call: "s7-3" }] });
  });

  test("usage is what the provider counted", async () => {
    const { step } = await ask(kind, answer);
    const { result } = await step();
    const input = kind === "anthropic" ? 140 : 100; // there, what was cached is counted apart
    expect(result).toMatchObject({ usage: { inputTokens: input, outputTokens: 20, cachedTokens: 40 } });
  });

  test("a second step gives back what was thought, said, called and found", async () => {
    const { step, stub } = await ask(kind, [answer, { reply: "message", text: "Done." }]);
    const first = await step({ instructions: "Be brief." });
    if (first.result.outcome !== "completed") throw new Error(JSON.stringify(first.result));
    const second = await step({
      step: "s2",
      instructions: "Be brief.",
      context: [
        ...asked("Look."),
        { role: "agent", pieces: first.result.message },
        ...results(first.result.message),
      ],
    });
    expect(second.result).toMatchObject({ outcome: "completed", finish: "stop" });
    expect(stub.requests[1]?.body).toMatchObject(GIVEN_BACK[kind]);
  });

  // Google's arguments are JSON by the wire.
  test.skipIf(kind === "google")(
    "arguments that are no JSON stay as written, in a call that has an answer",
    async () => {
      const broken = '{"command": "ls';
      const { step, stub } = await ask(kind, [
        { reply: "message", calls: [{ name: "shell", args: broken }] },
        { reply: "message", text: "Again, then." },
      ]);
      const { result } = await step();
      if (result.outcome !== "completed") throw new Error(JSON.stringify(result));
      const [call] = result.message;
      expect(brokenText(call?.type === "call" ? call.args : undefined)).toBe(broken);
      const told: ContextMessage[] = [
        ...asked("Look."),
        { role: "agent", pieces: result.message },
        { role: "tool", call: "s1-0", name: "shell", status: "error", result: "That was no JSON." },
      ];
      expect((await step({ step: "s2", context: told })).result.outcome).toBe("completed");
      expect(JSON.stringify(stub.requests[1]?.body)).toContain("That was no JSON.");
    },
  );

  test("an answer that ends in mid-sentence is cut, not completed", async () => {
    const { step } = await ask(kind, {
      reply: "message",
      text: "one two three four",
      breaks: { afterTokens: 2, how: "end" },
    });
    const { result, deltas } = await step();
    expect(result).toMatchObject({ outcome: "failed", fault: { class: "cut" } });
    expect(textsOf(deltas)).toEqual({ 0: "one two " });
  });

  test("a connection that dies in mid-sentence is cut", async () => {
    const { step, stub } = await ask(kind, {
      reply: "message",
      text: "one two three four",
      breaks: { afterTokens: 2, how: "hang" },
    });
    const { result } = await step({}, undefined, (delta) => {
      if (delta.text.includes("two")) stub.requests[0]?.sever();
    });
    expect(result).toMatchObject({ outcome: "failed", fault: { class: "cut" } });
  });

  test("garbage in mid-sentence is a failure, though a proper end follows", async () => {
    const { step } = await ask(kind, (request) => ({
      reply: "message",
      text: "one two three four",
      breaks: { afterTokens: 2, how: { frame: `data: {"no": json\n\n${properEnd(request.path)}` } },
    }));
    expect((await step()).result).toMatchObject({ outcome: "failed", fault: { class: "protocol" } });
  });

  test("a step that is stopped leaves the connection at once, and what was said was said", async () => {
    const { step, stub } = await ask(kind, {
      reply: "message",
      text: "one two three four",
      breaks: { afterTokens: 2, how: "hang" },
    });
    const stop = new AbortController();
    const { result, deltas } = await step({}, stop.signal, (delta) => {
      if (delta.text.includes("two")) stop.abort("stopped");
    });
    expect(result).toEqual({ outcome: "stopped" });
    expect(textsOf(deltas)).toEqual({ 0: "one two " });
    expect(await (await stub.received(1)).closed).toBe("left");
  });

  test("a step that is stopped before the answer begins is stopped", async () => {
    const { step, stub } = await ask(kind, { reply: "silence" });
    const stop = new AbortController();
    const performed = step({}, stop.signal);
    const request = await stub.received(1);
    stop.abort("shutdown");
    expect((await performed).result).toEqual({ outcome: "stopped" });
    expect(await request.closed).toBe("left");
  });

  test("nothing is sent again behind our back", async () => {
    const { step, stub } = await ask(kind, { reply: "status", status: 503, body: "busy" });
    expect((await step()).result).toMatchObject({ outcome: "failed", fault: { class: "overloaded" } });
    expect(stub.count).toBe(1);
  });

  test("an answer that was cut for its length says so", async () => {
    const finish = {
      "openai-compatible": "length",
      openai: "max_output_tokens",
      anthropic: "max_tokens",
      google: "MAX_TOKENS",
    };
    const { step } = await ask(kind, { reply: "message", text: "and then", finish: finish[kind] });
    expect((await step()).result).toMatchObject({ outcome: "completed", finish: "length" });
  });
});

test("a step that is stopped before it begins asks no one", async () => {
  const { step, stub } = await ask("openai-compatible", { reply: "message", text: "hi" });
  expect((await step({}, AbortSignal.abort("stopped"))).result).toEqual({ outcome: "stopped" });
  expect(stub.count).toBe(0);
});

test("a provider that counts no tokens gives no usage", async () => {
  const { step } = await ask("openai-compatible", { reply: "message", text: "hi", usage: null });
  expect((await step()).result).toMatchObject({ outcome: "completed", usage: null });
});

test("a provider that says 'stop' after a call still asked for tools", async () => {
  const { step } = await ask("openai-compatible", {
    reply: "message",
    calls: [{ name: "shell", args: {} }],
    finish: "stop",
  });
  expect((await step()).result).toMatchObject({ finish: "tools", message: [{ args: {} }] });
});

/** A piece as its deltas add up to it: every wire here writes arguments without spaces. */
function spoken(piece: WholePiece): string {
  if (piece.type === "custom") throw new Error("a custom piece is not spoken");
  return piece.type === "call" ? JSON.stringify(piece.args) : piece.text;
}

function asked(text: string): ContextMessage[] {
  return [{ role: "person", text, files: [] }];
}

function results(message: readonly WholePiece[]): ContextMessage[] {
  return message.flatMap((piece) =>
    piece.type === "call"
      ? [{ role: "tool", call: piece.call, name: piece.name, status: "ok", result: `of ${piece.call}` }]
      : [],
  );
}

function properEnd(path: string): string {
  if (path.endsWith("/chat/completions"))
    return `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n`;
  if (path.endsWith("/messages"))
    return `data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":1}}\n\ndata: {"type":"message_stop"}\n\n`;
  if (path.endsWith("/responses"))
    return `data: {"type":"response.completed","response":{"usage":{"input_tokens":1,"output_tokens":1}}}\n\n`;
  return `data: {"candidates":[{"content":{"parts":[]},"finishReason":"STOP"}]}\n\n`;
}

const GIVEN_BACK: Record<WireKind, object> = {
  "openai-compatible": {
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Look." },
      {
        role: "assistant",
        reasoning_content: "Let me see.",
        content: "I look around.",
        tool_calls: [
          { id: "one", function: { name: "shell", arguments: '{"command":"ls -la /tmp"}' } },
          { id: "two", function: { name: "shell", arguments: '{"command":"pwd"}' } },
        ],
      },
      { role: "tool", tool_call_id: "one", content: "of s1-2" },
      { role: "tool", tool_call_id: "two", content: "of s1-3" },
    ],
  },
  openai: {
    store: false,
    prompt_cache_key: "ses_test",
    input: [
      { content: "Be brief." },
      { role: "user" },
      { type: "reasoning", encrypted_content: "sealed" },
      { role: "assistant", content: "I look around." },
      { type: "function_call", call_id: "one", name: "shell" },
      { type: "function_call", call_id: "two", name: "shell" },
      { type: "function_call_output", call_id: "one", output: "of s1-2" },
      { type: "function_call_output", call_id: "two", output: "of s1-3" },
    ],
  },
  anthropic: {
    max_tokens: 32_000,
    system: [{ text: "Be brief.", cache_control: { type: "ephemeral" } }],
    messages: [
      { role: "user", content: [{ type: "text", text: "Look." }] },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "Let me see.", signature: "signed" },
          { type: "text", text: "I look around." },
          { type: "tool_use", id: "one", input: { command: "ls -la /tmp" } },
          { type: "tool_use", id: "two", input: { command: "pwd" } },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "one", content: "of s1-2" },
          {
            type: "tool_result",
            tool_use_id: "two",
            content: "of s1-3",
            cache_control: { type: "ephemeral" },
          },
        ],
      },
    ],
  },
  google: {
    systemInstruction: { parts: [{ text: "Be brief." }] },
    contents: [
      { role: "user", parts: [{ text: "Look." }] },
      {
        role: "model",
        parts: [
          { text: "Let me see.", thought: true },
          { text: "I look around." },
          { functionCall: { name: "shell", args: { command: "ls -la /tmp" } }, thoughtSignature: "thought" },
          { functionCall: { name: "shell", args: { command: "pwd" } }, thoughtSignature: "thought" },
        ],
      },
      {
        role: "user",
        parts: [
          { functionResponse: { name: "shell", response: { content: "of s1-2" } } },
          { functionResponse: { name: "shell", response: { content: "of s1-3" } } },
        ],
      },
    ],
  },
};
