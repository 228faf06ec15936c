// What an event refers to and does not carry itself: long texts, and files that persons attached.
import type { AnyEvent, Attachment, LongText } from "./event.ts";

export type BlobRef = Exclude<LongText, string>;
export type References = { blobs: BlobRef[]; files: Attachment[] };

/** What others made up: it may look like a reference, and is none. */
const FOREIGN: ReadonlySet<string> = new Set(["args", "trace", "answer"]);

/** Of facts that a newer version wrote, too, as far as they say it in the same way. */
export function referencesOf({ data }: Pick<AnyEvent, "data">): References {
  const found: References = { blobs: [], files: [] };
  if (!isRecord(data)) return found;
  for (const [name, value] of Object.entries(data)) {
    if (!FOREIGN.has(name) && isBlobRef(value)) found.blobs.push(value);
    if (name === "message") found.blobs.push(...list(value).flatMap(textOfPiece));
    if (name === "attachments") found.files.push(...list(value).filter(isAttachment));
  }
  return found;
}

function textOfPiece(piece: unknown): BlobRef[] {
  return isRecord(piece) && isBlobRef(piece["text"]) ? [piece["text"]] : [];
}

function isBlobRef(value: unknown): value is BlobRef {
  return (
    isRecord(value) &&
    typeof value["blob"] === "string" &&
    typeof value["bytes"] === "number" &&
    typeof value["preview"] === "string"
  );
}

function isAttachment(value: unknown): value is Attachment {
  return isRecord(value) && typeof value["file"] === "string" && typeof value["bytes"] === "number";
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
