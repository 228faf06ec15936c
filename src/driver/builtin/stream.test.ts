import { expect, test } from "vitest";
import type { Delta } from "../driver.ts";
import { MESSAGE_MAX_CHARS } from "./message.ts";
import type { StreamPart } from "./model.ts";
import { readAnswer } from "./stream.ts";

const NO_TOKENS = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
};

function finish(
  unified: Extract<StreamPart, { type: "finish" }>["finishReason"]["unified"],
  raw?: string,
): StreamPart {
  return { type: "finish", finishReason: { unified, raw }, usage: NO_TOKENS };
}

async function read(...parts: StreamPart[]) {
  const deltas: Delta[] = [];
  const answer = await readAnswer(ReadableStream.from(parts), "s1", (delta) => deltas.push(delta));
  return { answer, deltas };
}

test("texts that share an id are pieces of their own", async () => {
  const { answer, deltas } = await read(
    { type: "text-start", id: "t" },
    { type: "text-delta", id: "t", delta: "before" },
    { type: "text-end", id: "t" },
    { type: "reasoning-start", id: "t" },
    { type: "reasoning-delta", id: "t", delta: "hm" },
    { type: "reasoning-end", id: "t" },
    { type: "text-start", id: "t" },
    { type: "text-delta", id: "t", delta: "after" },
    { type: "text-end", id: "t" },
    finish("stop", "stop"),
  );
  expect(answer).toMatchObject({ message: [{ text: "before" }, { text: "hm" }, { text: "after" }] });
  expect(deltas.map(({ piece }) => piece)).toEqual([0, 1, 2]);
});

test("a piece is numbered when it first says something, so that silence leaves no gap", async () => {
  const { answer, deltas } = await read(
    { type: "text-start", id: "0" },
    { type: "tool-input-start", id: "c", toolName: "shell" },
    { type: "tool-input-delta", id: "c", delta: "{}" },
    { type: "text-end", id: "0" },
    { type: "tool-call", toolCallId: "c", toolName: "shell", input: "{}" },
    finish("tool-calls", "tool_use"),
  );
  expect(answer).toMatchObject({ message: [{ type: "call", call: "s1-0" }] });
  expect(deltas).toEqual([{ piece: 0, kind: "args", text: "{}", name: "shell" }]);
});

test("pieces that grow side by side keep their numbers", async () => {
  const { answer, deltas } = await read(
    { type: "text-start", id: "0" },
    { type: "text-delta", id: "0", delta: "a" },
    { type: "tool-input-start", id: "c", toolName: "shell" },
    { type: "tool-input-delta", id: "c", delta: "{" },
    { type: "text-delta", id: "0", delta: "b" },
    { type: "tool-input-delta", id: "c", delta: "}" },
    { type: "text-end", id: "0" },
    { type: "tool-call", toolCallId: "c", toolName: "shell", input: "{}" },
    finish("stop", "stop"),
  );
  expect(answer).toMatchObject({ message: [{ text: "ab" }, { args: {} }] });
  expect(deltas.map(({ piece }) => piece)).toEqual([0, 1, 0, 1]);
});

test("a wordless thought is kept when the provider wants it back, with all that was said of it", async () => {
  const { answer, deltas } = await read(
    { type: "reasoning-start", id: "r", providerMetadata: { anthropic: { redactedData: "xyz" } } },
    { type: "reasoning-delta", id: "r", delta: "", providerMetadata: { anthropic: { signature: "s" } } },
    { type: "reasoning-end", id: "r" },
    finish("stop", "end_turn"),
  );
  const options = { anthropic: { redactedData: "xyz", signature: "s" } };
  expect(answer).toMatchObject({ message: [{ type: "reasoning", text: "", provider: { options } }] });
  expect(deltas).toEqual([]);
});

test("a custom piece is kept for its provider and counts as a piece", async () => {
  const { answer } = await read(
    { type: "custom", kind: "anthropic.fallback", providerMetadata: { anthropic: { from: "a" } } },
    { type: "text-start", id: "0" },
    { type: "text-delta", id: "0", delta: "hi" },
    finish("stop", "end_turn"),
  );
  const value = { kind: "anthropic.fallback", options: { anthropic: { from: "a" } } };
  expect(answer).toMatchObject({ message: [{ type: "custom", value }, { text: "hi" }] });
});

test("a call whose arguments came only at its end says them once", async () => {
  const { answer, deltas } = await read(
    { type: "tool-call", toolCallId: "c", toolName: "shell", input: '{"command":"ls"}' },
    finish("tool-calls", "STOP"),
  );
  expect(answer).toMatchObject({ message: [{ call: "s1-0", name: "shell", args: { command: "ls" } }] });
  expect(deltas).toEqual([{ piece: 0, kind: "args", text: '{"command":"ls"}', name: "shell" }]);
});

test.each(["[1]", '"ls"', "null", "{"])("arguments that are %s are no arguments", async (input) => {
  const { answer } = await read(
    { type: "tool-call", toolCallId: "c", toolName: "shell", input },
    finish("tool-calls", "tool_calls"),
  );
  expect(answer).toMatchObject({ message: [{ args: { broken_json: input } }] });
});

test("a file that the model sends leaves a word about it", async () => {
  const { answer } = await read(
    { type: "file", mediaType: "image/png", data: { type: "data", data: "AAAA" } },
    finish("stop", "STOP"),
  );
  expect(answer).toMatchObject({ message: [{ type: "text", text: expect.stringContaining("image/png") }] });
});

test.each([
  [finish("stop", undefined), { end: "finished", finish: "stop" }], // OpenAI
  [finish("other", undefined), { end: "cut" }], // Anthropic
  [finish("interrupted", undefined), { end: "cut" }],
  [finish("error", undefined), { end: "cut" }],
  [finish("other", "compaction"), { end: "finished", finish: "other" }],
  [finish("content-filter", "SAFETY"), { end: "finished", finish: "filter" }],
])("%j ends the answer as %j", async (part, expected) => {
  expect((await read(part)).answer).toMatchObject(expected);
});

test("a stream that breaks is an error, and one without a finish is cut", async () => {
  const broken = new ReadableStream<StreamPart>({
    start: (controller) => controller.error(new Error("gone")),
  });
  expect(await readAnswer(broken, "s1", () => {})).toMatchObject({
    end: "error",
    error: { message: "gone" },
  });
  expect((await read()).answer).toEqual({ end: "cut" });
});

test("a provider that never stops is stopped", async () => {
  const delta = "x".repeat(64 * 1024);
  let sent = 0;
  const endless = new ReadableStream<StreamPart>({
    pull: (controller) => {
      sent += delta.length;
      controller.enqueue({ type: "text-delta", id: "0", delta });
    },
  });
  expect(await readAnswer(endless, "s1", () => {})).toEqual({ end: "too_long" });
  expect(sent).toBeLessThan(2 * MESSAGE_MAX_CHARS);
});

test("a listener that fails is not mistaken for a provider that does", async () => {
  const parts = ReadableStream.from<StreamPart>([{ type: "text-delta", id: "0", delta: "hi" }]);
  const fails = () => {
    throw new Error("lease lost");
  };
  await expect(readAnswer(parts, "s1", fails)).rejects.toThrow("lease lost");
});

test.each(["", "{}"])(
  "a call that the length limit cut before its arguments (%j) has none that could be run",
  async (input) => {
    const { answer } = await read(
      { type: "tool-call", toolCallId: "a", toolName: "process", input: "{}" },
      { type: "tool-input-start", id: "b", toolName: "process" },
      { type: "tool-call", toolCallId: "b", toolName: "process", input },
      finish("length", "max_tokens"),
    );
    expect(answer).toMatchObject({
      finish: "length",
      message: [{ args: {} }, { args: { broken_json: "" } }],
    });
  },
);

test("arguments that were whole before the length limit came stay as they are", async () => {
  const { answer } = await read(
    { type: "tool-call", toolCallId: "a", toolName: "shell", input: '{"command":"ls"}' },
    finish("length", "length"),
  );
  expect(answer).toMatchObject({ message: [{ args: { command: "ls" } }] });
});

test("tokens are whole numbers, whatever a gateway makes of its estimates", async () => {
  const counted = { ...finish("stop"), usage: { ...NO_TOKENS } };
  counted.usage.inputTokens = { ...NO_TOKENS.inputTokens, total: 12.5 as never };
  counted.usage.outputTokens = { ...NO_TOKENS.outputTokens, total: Number.NaN as never };
  const { answer } = await read(
    { type: "text-start", id: "t" },
    { type: "text-delta", id: "t", delta: "hi" },
    { type: "text-end", id: "t" },
    counted as StreamPart,
  );
  expect(answer).toMatchObject({ usage: { inputTokens: 13, outputTokens: 0 } });
});
