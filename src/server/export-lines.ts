// A session as JSON lines that need nothing else: what an event refers to stands in front of it, a stretch to a line. Nothing
// is remembered between events, however many there are: what two of them refer to comes twice.
import { isUtf8 } from "node:buffer";
import {
  STRETCH_BYTES,
  type BlobLine,
  type EndLine,
  type FileLine,
  type MissingLine,
} from "../protocol/export-line.ts";
import type { AnyEvent } from "../session/event.ts";
import { START } from "../session/position.ts";
import { referencesOf } from "../session/references.ts";
import type { Store } from "../store/store.ts";

type Kept = Pick<Store, "blob" | "file">;

export async function* exportLines(
  events: AsyncIterable<AnyEvent>,
  store: Kept,
  session: string,
): AsyncGenerator<string> {
  let end = START;
  for await (const event of events) {
    const { blobs, files } = referencesOf(event);
    for (const blob of new Set(blobs.map((ref) => ref.blob))) yield* linesOf(blobLines(store, blob));
    for (const file of new Set(files.map((ref) => ref.file))) yield* linesOf(fileLines(store, file));
    yield `${JSON.stringify(event)}\n`;
    end = event.position;
  }
  yield `${JSON.stringify({ end, session } satisfies EndLine)}\n`;
}

async function* linesOf(values: AsyncIterable<object>): AsyncGenerator<string> {
  for await (const value of values) yield `${JSON.stringify(value)}\n`;
}

async function* blobLines(store: Kept, blob: string): AsyncGenerator<BlobLine | MissingLine> {
  const whole = await store.blob(blob);
  if (!whole) return yield { missing: blob };
  const bytes = whole.byteLength;
  const isText = isUtf8(whole);
  let offset = 0;
  do {
    const until = isText ? betweenCharacters(whole, offset + STRETCH_BYTES) : offset + STRETCH_BYTES;
    const stretch = whole.subarray(offset, until);
    yield isText
      ? { blob, bytes, offset, text: stretch.toString("utf8") }
      : { blob, bytes, offset, base64: stretch.toString("base64") };
    offset = until;
  } while (offset < bytes);
}

async function* fileLines(store: Kept, id: string): AsyncGenerator<FileLine | MissingLine> {
  const found = await store.file(id);
  if (!found) return yield { missing: id };
  const { file, name, type: mediaType, bytes } = found;
  if (bytes === 0) yield { file, name, mediaType, bytes, offset: 0, base64: "" };
  let offset = 0;
  for await (const chunk of found.read())
    for (let from = 0; from < chunk.byteLength; from += STRETCH_BYTES) {
      const stretch = chunk.subarray(from, from + STRETCH_BYTES);
      yield { file, name, mediaType, bytes, offset, base64: stretch.toString("base64") };
      offset += stretch.byteLength;
    }
}

/** The nearest place before `at` where no character is cut in two. */
function betweenCharacters(text: Buffer, at: number): number {
  let until = at;
  while (((text[until] ?? 0) & 0b1100_0000) === 0b1000_0000) until -= 1;
  return until;
}
