// A person's attachments, as far as the provider takes them. What it does not take is named in words: the model should
// know that something is there, and one file must not make every later call fail.
import type { ContextFile } from "../driver.ts";
import type { WireKind } from "./endpoint.ts";
import type { PromptMessage } from "./model.ts";

export type UserPart = Extract<PromptMessage, { role: "user" }>["content"][number];

/** A text file longer than this is cut, with a word about it: it would not fit any context. */
export const FILE_MAX_CHARS = 200_000;

export function filePart(file: ContextFile, kind: WireKind): UserPart {
  const type = file.type.toLowerCase().split(";", 1).join().trim();
  if (IMAGES.has(type)) return dataPart(file, type);
  // Few compatible servers know the part for it, and those that don't refuse the whole request.
  if (type === "application/pdf" && kind !== "openai-compatible") return dataPart(file, type);
  const text = textOf(file, type);
  return { type: "text", text: text === undefined ? unreadable(file) : inWords(file, text) };
}

const IMAGES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

function dataPart({ name, bytes }: ContextFile, mediaType: string): UserPart {
  return { type: "file", filename: name, mediaType, data: { type: "data", data: bytes } };
}

/** A type is only what the sender called it; whether it is text, the bytes say. */
function textOf({ bytes }: ContextFile, type: string): string | undefined {
  if (/^(image|audio|video|font)\//.test(type) && type !== "image/svg+xml") return undefined;
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined; // that is how it says that these bytes are no text
  }
}

function inWords({ name }: ContextFile, text: string): string {
  const shown = text.slice(0, FILE_MAX_CHARS);
  const cut =
    shown.length < text.length ? `\n[cut: ${shown.length} of ${text.length} characters are shown]` : "";
  return `<file name=${JSON.stringify(name)}>\n${shown}${cut}\n</file>`;
}

function unreadable({ name, type, bytes }: ContextFile): string {
  return `[The file ${JSON.stringify(name)} (${type || "of unknown type"}, ${bytes.length} bytes) is attached, but this model can't be shown it.]`;
}
