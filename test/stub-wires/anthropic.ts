// Anthropic's messages: blocks that open, grow and close, each under its number.
import { argsTokens, sse, tokensOf, USUAL_USAGE, type Frame, type StubMessage } from "./frame.ts";

export function* anthropicFrames(message: StubMessage, model: string): Generator<Frame, void> {
  const { input, output, cached } = message.usage ?? USUAL_USAGE;
  const event = (data: { type: string } & Record<string, unknown>, token = false): Frame => ({
    text: sse(data, data.type),
    token,
  });
  const grow = (index: number, delta: unknown, token = true) =>
    event({ type: "content_block_delta", index, delta }, token);
  let index = 0;

  yield event({
    type: "message_start",
    message: {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model,
      content: [],
      stop_reason: null,
      usage: { input_tokens: input, output_tokens: 0, cache_read_input_tokens: cached ?? 0 },
    },
  });
  if (message.reasoning !== undefined) {
    yield event({ type: "content_block_start", index, content_block: { type: "thinking", thinking: "" } });
    for (const token of tokensOf(message.reasoning))
      yield grow(index, { type: "thinking_delta", thinking: token });
    const signature = message.signature ?? "signed";
    yield grow(index, { type: "signature_delta", signature }, false);
    yield event({ type: "content_block_stop", index: index++ });
  }
  if (message.text !== undefined) {
    yield event({ type: "content_block_start", index, content_block: { type: "text", text: "" } });
    for (const token of tokensOf(message.text)) yield grow(index, { type: "text_delta", text: token });
    yield event({ type: "content_block_stop", index: index++ });
  }
  for (const call of message.calls ?? []) {
    const block = { type: "tool_use", id: call.id ?? `toolu_${index}`, name: call.name, input: {} };
    yield event({ type: "content_block_start", index, content_block: block });
    for (const token of argsTokens(call))
      yield grow(index, { type: "input_json_delta", partial_json: token });
    yield event({ type: "content_block_stop", index: index++ });
  }

  const finish = message.finish === undefined ? (message.calls ? "tool_use" : "end_turn") : message.finish;
  if (finish === null) return;
  yield event({
    type: "message_delta",
    delta: { stop_reason: finish, stop_sequence: null },
    usage: { output_tokens: output },
  });
  yield event({ type: "message_stop" });
}
