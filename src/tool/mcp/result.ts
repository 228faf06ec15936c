// What an MCP server answered, as text: that is all that a model is given of any tool.
import type { CallToolResult } from "./server.ts";

const RESULT_MAX_CHARS = 60_000;

type Content = CallToolResult["content"][number];

export function resultText({ content, structuredContent }: CallToolResult): string {
  const texts = content.map(contentText).filter((text) => text !== "");
  // Servers are to say in words too what they give as data; not all do.
  if (texts.length === 0 && structuredContent) texts.push(JSON.stringify(structuredContent));
  return shortened(texts.join("\n\n")) || "[it answered nothing]";
}

function contentText(content: Content): string {
  switch (content.type) {
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
