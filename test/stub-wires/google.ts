// Gemini's generateContent, streamed: each event is a stretch of the candidate.
import { argsText, sse, tokensOf, USUAL_USAGE, type Frame, type StubMessage } from "./frame.ts";

export function* googleFrames(message: StubMessage): Generator<Frame, void> {
  const { input, output, cached, reasoning } = message.usage ?? USUAL_USAGE;
  const part = (content: unknown): Frame => ({
    text: sse({ candidates: [{ content: { role: "model", parts: [content] } }] }),
    token: true,
  });

  for (const token of tokensOf(message.reasoning)) yield part({ text: token, thought: true });
  for (const token of tokensOf(message.text)) yield part({ text: token });
  for (const call of message.calls ?? [])
    yield part({
      functionCall: {
        name: call.name,
        args: JSON.parse(argsText(call)),
        ...(call.id !== undefined && { id: call.id }),
      },
      thoughtSignature: message.signature ?? "thought",
    });

  if (message.finish === null) return;
  const usageMetadata = {
    promptTokenCount: input,
    candidatesTokenCount: output - (reasoning ?? 0),
    thoughtsTokenCount: reasoning ?? 0,
    cachedContentTokenCount: cached ?? 0,
    totalTokenCount: input + output,
  };
  const last = { content: { role: "model", parts: [] }, finishReason: message.finish ?? "STOP" };
  yield { text: sse({ candidates: [last], usageMetadata }), token: false };
}
