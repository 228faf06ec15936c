// A model's answer as it streams in: deltas for whoever watches, and at the end the message with how it ended.
import type { Delta, Finish, WholePiece } from "../driver.ts";
import type { Usage } from "../../session/event.ts";
import { MessageInMaking } from "./message.ts";
import type { SdkUsage, StreamPart } from "./model.ts";

export type Answer =
  | { end: "finished"; message: WholePiece[]; usage: Usage | null; finish: Finish }
  /** It stopped without saying that it was done. */
  | { end: "cut" }
  | { end: "too_long" }
  /** The provider reported an error within the stream: it failed, whatever follows. */
  | { end: "error"; error: unknown };

export async function readAnswer(
  stream: ReadableStream<StreamPart>,
  step: string,
  said: (delta: Delta) => void,
): Promise<Answer> {
  const message = new MessageInMaking(step, said);
  const reader = stream.getReader();
  let finished: Finished | undefined;
  try {
    for (;;) {
      let next;
      try {
        next = await reader.read();
      } catch (error) {
        return { end: "error", error };
      }
      if (next.done) return answerOf(message, finished);
      const part = next.value;
      if (part.type === "error")
        return endsEarly(part.error) ? { end: "cut" } : { end: "error", error: part.error };
      if (part.type === "finish") finished = part;
      else take(part, message);
      if (message.tooLong) return { end: "too_long" };
    }
  } finally {
    reader.cancel().catch(() => {}); // whether there is more, and how it ends, no longer matters
  }
}

type Finished = Extract<StreamPart, { type: "finish" }>;

function take(part: Exclude<StreamPart, Finished | { type: "error" }>, message: MessageInMaking): void {
  switch (part.type) {
    case "text-start":
      return message.open("text", part.id, part.providerMetadata);
    case "text-delta":
      return message.grow("text", part.id, part.delta, part.providerMetadata);
    case "text-end":
      return message.close("text", part.id, part.providerMetadata);
    case "reasoning-start":
      return message.open("reasoning", part.id, part.providerMetadata);
    case "reasoning-delta":
      return message.grow("reasoning", part.id, part.delta, part.providerMetadata);
    case "reasoning-end":
      return message.close("reasoning", part.id, part.providerMetadata);
    case "tool-input-start":
      return message.openCall(part.id, part.toolName, part.providerMetadata);
    case "tool-input-delta":
      return message.growCall(part.id, part.delta);
    case "tool-call":
      return message.closeCall(part.toolCallId, part.toolName, part.input, part.providerMetadata);
    case "custom":
      // It says again what the answer's head said, in every message of the log.
      if (part.kind !== "anthropic.message_start") message.custom(part.kind, part.providerMetadata);
      return;
    case "file":
      return message.remark(`[The model sent a file (${part.mediaType}), which is not kept.]`);
    case "stream-start":
    case "response-metadata":
    case "tool-input-end":
    case "reasoning-file":
    case "source":
    case "ping":
    case "raw":
    case "tool-result": // of tools that a provider runs itself: none is offered
    case "tool-approval-request":
      return;
  }
}

/** How the SDK says it where a wire has no word for it. */
function endsEarly(error: unknown): boolean {
  return error instanceof Error && /ended without a finish reason/.test(error.message);
}

function answerOf(making: MessageInMaking, finished: Finished | undefined): Answer {
  const message = making.finished(finished?.finishReason.unified === "length");
  const finish = finished && finishOf(finished.finishReason, message);
  return finished && finish
    ? { end: "finished", message, usage: usageOf(finished.usage), finish }
    : { end: "cut" };
}

/**
 * Undefined: cut off. Anthropic and Google say so by leaving out the raw reason, where OpenAI leaves it out of every
 * answer that ended well.
 */
function finishOf(
  { unified, raw }: Finished["finishReason"],
  pieces: readonly WholePiece[],
): Finish | undefined {
  const called = pieces.some(({ type }) => type === "call");
  switch (unified) {
    case "stop":
    case "tool-calls":
      return called ? "tools" : "stop"; // providers mix the two up
    case "length":
      return "length";
    case "content-filter":
      return "filter";
    case "other":
      return raw === undefined ? undefined : "other";
    case "error":
    case "interrupted":
      return undefined;
  }
}

function usageOf({ inputTokens, outputTokens }: SdkUsage): Usage | null {
  if (inputTokens.total === undefined && outputTokens.total === undefined) return null;
  return {
    inputTokens: whole(inputTokens.total),
    outputTokens: whole(outputTokens.total),
    ...(inputTokens.cacheRead ? { cachedTokens: inputTokens.cacheRead } : {}),
    ...(outputTokens.reasoning ? { reasoningTokens: outputTokens.reasoning } : {}),
  };
}

/** The database adds them up in whole numbers: what a gateway makes of its estimates must not cost the answer. */
function whole(tokens = 0): number {
  return Number.isFinite(tokens) ? Math.min(Math.max(Math.round(tokens), 0), TOKENS_MAX) : 0;
}
const TOKENS_MAX = 1e9;
