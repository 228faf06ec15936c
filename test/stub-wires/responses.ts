// OpenAI's responses: items that are added, grow and are done.
import { argsText, argsTokens, sse, tokensOf, USUAL_USAGE, type Frame, type StubMessage } from "./frame.ts";

export function* responsesFrames(message: StubMessage, model: string): Generator<Frame, void> {
  const { input, output, cached, reasoning } = message.usage ?? USUAL_USAGE;
  const event = (data: { type: string } & Record<string, unknown>, token = false): Frame => ({
    text: sse(data, data.type),
    token,
  });
  let at = 0;

  yield event({ type: "response.created", response: { id: "resp_1", created_at: 1, model } });
  if (message.reasoning !== undefined) {
    const item = { type: "reasoning", id: "rs_1", encrypted_content: null as string | null };
    yield event({ type: "response.output_item.added", output_index: at, item });
    yield event({ type: "response.reasoning_summary_part.added", item_id: item.id, summary_index: 0 });
    for (const delta of tokensOf(message.reasoning))
      yield event(
        { type: "response.reasoning_summary_text.delta", item_id: item.id, summary_index: 0, delta },
        true,
      );
    yield event({ type: "response.reasoning_summary_part.done", item_id: item.id, summary_index: 0 });
    const done = { ...item, encrypted_content: message.signature ?? "sealed" };
    yield event({ type: "response.output_item.done", output_index: at++, item: done });
  }
  if (message.text !== undefined) {
    const item = { type: "message", id: "msg_1" };
    yield event({ type: "response.output_item.added", output_index: at, item });
    for (const delta of tokensOf(message.text))
      yield event({ type: "response.output_text.delta", item_id: item.id, delta }, true);
    yield event({ type: "response.output_item.done", output_index: at++, item });
  }
  for (const [n, call] of (message.calls ?? []).entries()) {
    const item = { type: "function_call", id: `fc_${n}`, call_id: call.id ?? `call_${n}`, name: call.name };
    yield event({ type: "response.output_item.added", output_index: at, item: { ...item, arguments: "" } });
    for (const delta of argsTokens(call))
      yield event(
        { type: "response.function_call_arguments.delta", item_id: item.id, output_index: at, delta },
        true,
      );
    const done = { ...item, arguments: argsText(call), status: "completed" };
    yield event({ type: "response.output_item.done", output_index: at++, item: done });
  }

  if (message.finish === null) return;
  yield event({
    type: message.finish === undefined ? "response.completed" : "response.incomplete",
    response: {
      ...(message.finish !== undefined && { incomplete_details: { reason: message.finish } }),
      usage: {
        input_tokens: input,
        input_tokens_details: { cached_tokens: cached ?? 0 },
        output_tokens: output,
        output_tokens_details: { reasoning_tokens: reasoning ?? 0 },
      },
    },
  });
}
