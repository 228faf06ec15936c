// OpenAI's chat completions, as every compatible server speaks them.
import { argsTokens, sse, tokensOf, USUAL_USAGE, type Frame, type StubMessage } from "./frame.ts";

export function* chatFrames(message: StubMessage, model: string): Generator<Frame, void> {
  const chunk = (delta: unknown, finish: string | null = null) =>
    sse({
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1,
      model,
      choices: [{ index: 0, delta, finish_reason: finish }],
    });

  yield { text: chunk({ role: "assistant" }), token: false };
  for (const token of tokensOf(message.reasoning))
    yield { text: chunk({ reasoning_content: token }), token: true };
  for (const token of tokensOf(message.text)) yield { text: chunk({ content: token }), token: true };
  for (const [index, call] of (message.calls ?? []).entries()) {
    const head = { index, id: call.id ?? `call_${index}`, type: "function" };
    yield {
      text: chunk({ tool_calls: [{ ...head, function: { name: call.name, arguments: "" } }] }),
      token: false,
    };
    for (const token of argsTokens(call))
      yield { text: chunk({ tool_calls: [{ index, function: { arguments: token } }] }), token: true };
  }

  const finish = message.finish === undefined ? (message.calls ? "tool_calls" : "stop") : message.finish;
  if (finish !== null) yield { text: chunk({}, finish), token: false };
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
