// What an MCP server answered, as text: that is all that a model is given of any tool. Read piece by piece: what can't be
// read, or is of a kind that nobody knew when this was written, is named in its place, since the call has been made.
import { z } from "zod";
import type { Outcome } from "../tool.ts";

export type Answer = Readonly<Record<string, unknown>>;

const RESULT_MAX_CHARS = 60_000;
const KIND_MAX_CHARS = 100;

const Content = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({ type: z.enum(["image", "audio"]), data: z.string(), mimeType: z.string() }),
  z.object({ type: z.literal("resource_link"), name: z.string(), uri: z.string() }),
  z.object({
    type: z.literal("resource"),
    resource: z.union([
      z.object({ uri: z.string(), text: z.string() }),
      z.object({ uri: z.string(), blob: z.string(), mimeType: z.string().optional() }),
    ]),
  }),
]);

/** All that is asked of something to name it. */
const Kind = z.object({ type: z.string().min(1), mimeType: z.string().optional().catch(undefined) });

export function outcomeOf(answer: Answer): Outcome {
  return { status: answer["isError"] === true ? "error" : "ok", result: resultText(answer) };
}

function resultText({ content = [], structuredContent }: Answer): string {
  const texts = (Array.isArray(content) ? content : [content]).map(contentText).filter((text) => text !== "");
  // Servers are to say in words too what they give as data; not all do.
  if (texts.length === 0 && structuredContent) texts.push(JSON.stringify(structuredContent));
  return shortened(texts.join("\n\n")) || "[it answered nothing]";
}

function contentText(given: unknown): string {
  const { data: content } = Content.safeParse(given);
  switch (content?.type) {
    case undefined:
      return unreadText(given);
    case "text":
      return content.text;
    case "image":
    case "audio":
      return `[${content.type} (${content.mimeType}, ${bytesOf(content.data)} bytes), which can't be shown here]`;
    case "resource_link":
      return `[${content.name}: ${content.uri}]`;
    case "resource": {
      const { resource } = content;
      if ("text" in resource) return `[${resource.uri}]\n${resource.text}`;
      return `[${resource.uri} (${resource.mimeType ?? "bytes"}, ${bytesOf(resource.blob)} bytes), which can't be shown here]`;
    }
  }
}

function unreadText(given: unknown): string {
  const { type = "something", mimeType } = Kind.safeParse(given).data ?? {};
  const kind = mimeType === undefined ? type : `${type} (${mimeType})`;
  return `[${kind.slice(0, KIND_MAX_CHARS)}, which can't be shown here]`;
}

function bytesOf(base64: string): number {
  return Buffer.byteLength(base64, "base64");
}

/** How it begins and ends; of an answer there is no more than what was given, so there is nothing to read on from. */
function shortened(text: string): string {
  if (text.length <= RESULT_MAX_CHARS) return text;
  const half = RESULT_MAX_CHARS / 2;
  const left = text.length - RESULT_MAX_CHARS;
  const notice = `[holdfast: ${left} of ${text.length} characters are left out here; ask for less at once]`;
  return `${text.slice(0, half)}\n${notice}\n${text.slice(-half)}`;
}
