// Long texts on their way into the index. One is put aside right before the fact that names it, so the last few that this
// node put are kept until then: an append need not read them back. What was put long ago (a queued prompt that is edited
// or goes over to a successor) is read before its fact is written.
import type { LongText, NewEvent } from "../../session/event.ts";
import { asidesIn, MESSAGE_CHARS, shown } from "../../session/search-text.ts";
import type { Queryable } from "./database.ts";
import { textArray } from "./wire.ts";

/** More than are put at a time. A text has 256 K characters at most here, so these are a few megabytes. */
const KEPT_MAX = 16;
/** As many as the characters can have in UTF-8. */
const BEGINNING_BYTES = MESSAGE_CHARS * 3;

/** As much of a text as search looks at. */
export type Whole = (text: LongText) => string;

export class AsideTexts {
  readonly #database: Queryable;
  /** By their blobs, the oldest first. */
  readonly #kept = new Map<string, string>();

  constructor(database: Queryable) {
    this.#database = database;
  }

  keep(blob: string, bytes: Uint8Array): void {
    this.#kept.delete(blob);
    this.#kept.set(blob, beginning(bytes));
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= KEPT_MAX) return;
      this.#kept.delete(oldest);
    }
  }

  /** For prepareBatch. A promise only where a text must be read: else appends would lose the order they were asked for in. */
  of(events: readonly NewEvent[]): Whole | Promise<Whole> {
    if (events.every((event) => asidesIn(event).length === 0)) return shown;
    const blobs = events.flatMap((event) => asidesIn(event).map(({ blob }) => blob));
    const texts = new Map<string, string>();
    for (const blob of blobs) {
      const text = this.#kept.get(blob);
      if (text !== undefined) texts.set(blob, text);
      this.#kept.delete(blob); // it has come to its fact
    }
    const missing = blobs.filter((blob) => !texts.has(blob));
    return missing.length === 0 ? wholeIn(texts) : this.#read(missing, texts);
  }

  async #read(missing: readonly string[], known: ReadonlyMap<string, string>): Promise<Whole> {
    return wholeIn(new Map([...known, ...(await readBeginnings(this.#database, missing))]));
  }
}

/** A text that is nowhere any more is known by how it begins. */
export function wholeIn(texts: ReadonlyMap<string, string>): Whole {
  return (text) => (typeof text === "string" ? text : (texts.get(text.blob) ?? text.preview));
}

export async function readBeginnings(
  database: Queryable,
  blobs: readonly string[],
): Promise<Map<string, string>> {
  const found = await database.query<{ id: string; bytes: Buffer }>({
    text: `select id, substring(bytes for ${BEGINNING_BYTES}) as bytes from blob where id = any($1::text[])`,
    values: [textArray(blobs)],
  });
  return new Map(found.map(({ id, bytes }) => [id, beginning(bytes)]));
}

function beginning(bytes: Uint8Array): string {
  const read = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, BEGINNING_BYTES));
  return read.toString("utf8").slice(0, MESSAGE_CHARS);
}
