// OpenAI's chat completions, as every compatible server speaks them.
import { argsTokens, sse, tokensOf, USUAL_USAGE, type Frame, type StubMessage } from "./frame.ts";

export function* chatFrames(message: StubMessage, model: string): Generator<Frame, void> {
  yield { text: chatChunk(model, { role: "assistant" }), token: false };
  yield* chatPieces(message, model);
  yield* chatEnd({ ...message, called: message.calls !== undefined }, model);
}

/** What is said, without how it begins and ends. `first` counts the calls that were made before. */
export function* chatPieces(message: StubMessage, model: string, first = 0): Generator<Frame, void> {
  for (const token of tokensOf(message.reasoning))
    yield { text: chatChunk(model, { reasoning_content: token }), token: true };
  for (const token of tokensOf(message.text))
    yield { text: chatChunk(model, { content: token }), token: true };
  for (const [n, call] of (message.calls ?? []).entries()) {
    const index = first + n;
    const head = { index, id: call.id ?? `call_${index}`, type: "function" };
    yield {
      text: chatChunk(model, { tool_calls: [{ ...head, function: { name: call.name, arguments: "" } }] }),
      token: false,
    };
    for (const token of argsTokens(call))
      yield {
        text: chatChunk(model, { tool_calls: [{ index, function: { arguments: token } }] }),
        token: true,
      };
  }
}

export function* chatEnd(
  message: Pick<StubMessage, "finish" | "usage"> & { called: boolean },
  model: string,
): Generator<Frame, void> {
  const finish = message.finish === undefined ? (message.called ? "tool_calls" : "stop") : message.finish;
  if (finish !== null) yield { text: chatChunk(model, {}, finish), token: false };
  if (message.usage !== null) {
    const { input, output, cached, reasoning } = message.usage ?? USUAL_USAGE;
    const usage = {
      prompt_tokens: input,
      completion_tokens: output,
      total_tokens: input + output,
      prompt_tokens_details: { cached_tokens: cached ?? 0 },
      completion_tokens_details: { reasoning_tokens: reasoning ?? 0 },
    };
    yield { text: sse({ id: "chatcmpl-1", created: 1, model, choices: [], usage }), token: false };
  }
  yield { text: sse("[DONE]"), token: false };
}

function chatChunk(model: string, delta: unknown, finish: string | null = null): string {
  return sse({
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1,
    model,
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
}
