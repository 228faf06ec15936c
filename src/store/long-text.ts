// A text that would not fit an event goes into a blob, committed before the fact that names it.
import type { LongText, NewEvent } from "../session/event.ts";
import { PREVIEW_CHARS } from "../session/view.ts";
import { EVENT_MAX_BYTES, TEXT_MAX_CHARS, type LogId, type Store } from "./store.ts";

export async function storedText(store: Pick<Store, "putBlob">, log: LogId, text: string): Promise<LongText> {
  if (fitsAnEvent(text)) return text;
  const { blob, bytes } = await store.putBlob(log, Buffer.from(text));
  return { blob, bytes, preview: beginning(text, PREVIEW_CHARS) };
}

/** Those that these events name. */
export function blobsIn(events: readonly NewEvent[]): string[] {
  const found = new Set<string>();
  JSON.stringify(events, (_, value: unknown) => {
    if (isBlob(value)) found.add(value.blob);
    return value;
  });
  return [...found];
}

/** The same of files. */
export function filesIn(events: readonly NewEvent[]): string[] {
  return events.flatMap((event) =>
    event.type === "input_admitted" || event.type === "input_edited"
      ? (event.data.attachments ?? []).map(({ file }) => file)
      : [],
  );
}

function isBlob(value: unknown): value is Exclude<LongText, string> {
  return typeof value === "object" && value !== null && "blob" in value && typeof value.blob === "string";
}

/** By its characters, and by what JSON makes of them: a control character becomes six bytes. */
function fitsAnEvent(text: string): boolean {
  if (text.length > TEXT_MAX_CHARS) return false;
  return text.length * 6 <= TEXT_MAX_BYTES || Buffer.byteLength(JSON.stringify(text)) <= TEXT_MAX_BYTES;
}
/** Leaves room in the event for what stands beside the text. */
const TEXT_MAX_BYTES = EVENT_MAX_BYTES - 32 * 1024;

/** Never half of a surrogate pair. */
function beginning(text: string, chars: number): string {
  const last = text.charCodeAt(chars - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? chars - 1 : chars);
}
