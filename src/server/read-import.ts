// An export on its way in: each line is checked before anything of it is written, in the order that exports have. What an
// event refers to stands right in front of it, so that nothing has to be remembered for longer.
import { createHash } from "node:crypto";
import type { z } from "zod";
import { BlobLine, EndLine, FileLine, MissingLine, NAME_MAX_CHARS } from "../protocol/export-line.ts";
import { isDraft } from "../session/draft.ts";
import type { AnyEvent, Draft } from "../session/event.ts";
import { formatPosition, seqOf, START, subOf } from "../session/position.ts";
import { referencesOf } from "../session/references.ts";
import type { Secrets } from "../secret/secrets.ts";
import type { BlobInfo, Importing } from "../store/store.ts";
import { faultOf, refuseLine, type Line } from "./body-lines.ts";
import { ImportedDrafts } from "./imported-drafts.ts";
import { importedEvent } from "./imported-event.ts";
import { refuse } from "./refusal.ts";

/** More than an event has room to name. */
const PENDING_MAX = 5_000;
const FILES_MAX = 5_000;

/** Says of a refusal that ?partial=true would take what is there. */
const TAKEN_PARTIALLY = { partial: true };

export type ReadingImport = {
  lines: AsyncIterator<Line, undefined>;
  into: Importing;
  secrets: Secrets;
  /** Takes what is there: of a log that ends in damage, or of an export from before exports had all. */
  partial: boolean;
};

/** The session's id where it came from, if that is said. */
export async function readImport(reading: ReadingImport): Promise<string | undefined> {
  const import_ = new ImportReader(reading);
  for (let line = await reading.lines.next(); !line.done; line = await reading.lines.next())
    await import_.take(line.value);
  return await import_.end();
}

class ImportReader {
  readonly #lines: AsyncIterator<Line, undefined>;
  readonly #into: Importing;
  readonly #secrets: Secrets;
  readonly #drafts: ImportedDrafts;
  readonly #partial: boolean;
  /** What stands in front of the next event, and under which name it is kept. */
  #pending = new Map<string, BlobInfo | undefined>();
  #files = 0;
  #last = START;
  #lastKept = START;
  #hasEnded = false;
  #end: EndLine | undefined;

  constructor({ lines, into, secrets, partial }: ReadingImport) {
    this.#lines = lines;
    this.#into = into;
    this.#secrets = secrets;
    this.#drafts = new ImportedDrafts(secrets);
    this.#partial = partial;
  }

  async take(line: Line): Promise<void> {
    const { number, value } = line;
    if (this.#end) refuseLine(number, "comes after the end");
    if ("type" in value || "position" in value) await this.#takeEvent(line);
    else if ("blob" in value) await this.#takeBlob(line);
    else if ("file" in value) await this.#takeFile(line);
    else if ("missing" in value) this.#found(number, fitting(MissingLine, line).missing, undefined);
    else if ("end" in value) this.#takeEnd(line);
    else refuseLine(number, "is neither an event nor anything else that an export has");
  }

  async end(): Promise<string | undefined> {
    if (seqOf(this.#last) === 0)
      refuse("bad_request", "There is no event in it: send an export of a session.");
    if (!this.#end && !this.#partial)
      refuse(
        "bad_request",
        "It was cut off: the line that ends an export is missing. Take what is there with ?partial=true.",
        TAKEN_PARTIALLY,
      );
    for (const draft of this.#drafts.end(this.#lastKept)) await this.#into.addEvent(draft);
    return this.#end?.session;
  }

  async #takeEvent(line: Line): Promise<void> {
    const { number } = line;
    const event = importedEvent(line);
    this.#checkOrder(number, event);
    const before = this.#last;
    this.#last = event.position;
    const kept = isDraft(event) ? this.#drafts.take(event as Draft) : this.#withKept(number, event);
    this.#pending.clear();
    if (event.type === "session_ended") {
      this.#hasEnded = true; // it begins anew here, as a fork does
      return;
    }
    for (const draft of this.#drafts.endBy(event, before)) await this.#add(number, draft);
    if (kept) await this.#add(number, kept);
  }

  async #add(number: number, event: AnyEvent): Promise<void> {
    try {
      await this.#into.addEvent(event);
    } catch (error) {
      if (error instanceof RangeError) refuseLine(number, `is too large: ${error.message}`);
      throw error;
    }
    this.#lastKept = event.position;
  }

  /** Facts are gapless and begin with the session itself; drafts follow a fact, and some of them may have been swept. */
  #checkOrder(number: number, { position, type }: AnyEvent): void {
    const [seq, sub] = [seqOf(position), subOf(position)];
    const last = seqOf(this.#last);
    const follows =
      type === "draft"
        ? seq === last && last > 0 && sub > subOf(this.#last)
        : position === formatPosition(last + 1, 0);
    if (!follows) refuseLine(number, `is at ${position}, which does not follow ${this.#last}`);
    if ((type === "session_created") !== (position === formatPosition(1, 0)))
      refuseLine(number, "is not in its place: a log begins with session_created, and has it once");
    if (this.#hasEnded) refuseLine(number, "comes after session_ended, after which there is nothing");
  }

  /** Without secrets that we know, but for what people said themselves; and with the names that its long texts have here. */
  #withKept(number: number, event: AnyEvent): AnyEvent {
    const isOwn = "person" in event.by && event.by.program === undefined;
    const clean = isOwn ? event : { ...event, data: this.#secrets.hideIn(event.data) };
    const { blobs, files } = referencesOf(event);
    const names = [...blobs.map(({ blob }) => blob), ...files.map(({ file }) => file)];
    if (names.some((name) => name.length > NAME_MAX_CHARS))
      refuseLine(number, "refers to what no export could name");
    const lacking = names.find((name) => !this.#pending.has(name));
    if (lacking !== undefined && !this.#partial)
      refuseLine(
        number,
        `refers to ${lacking.slice(0, 100)}, which does not stand in front of it`,
        TAKEN_PARTIALLY,
      );
    const others = blobs.filter(({ blob }) => (this.#pending.get(blob)?.blob ?? blob) !== blob);
    return others.length === 0 ? clean : (this.#renamed(clean) as AnyEvent);
  }

  #renamed(value: unknown): unknown {
    return JSON.parse(JSON.stringify(value), (_, inner: unknown) => {
      if (typeof inner !== "object" || inner === null || !("blob" in inner) || !("preview" in inner))
        return inner;
      const kept = this.#pending.get(String(inner.blob));
      return kept ? { ...inner, ...kept, preview: this.#secrets.hideIn(inner.preview) } : inner;
    });
  }

  async #takeBlob(line: Line): Promise<void> {
    const { number } = line;
    const { blob, bytes: size } = fitting(BlobLine, line);
    const bytes = Buffer.alloc(size); // at once: a text can come in as many stretches as it has bytes
    let at = 0;
    for await (const stretch of this.#stretches(line, blob, size)) at += stretch.copy(bytes, at);
    if (createHash("sha256").update(bytes).digest("hex") !== blob)
      refuseLine(number, `begins ${blob}, whose bytes are others`);
    // A long text does not say whose words it is.
    const text = this.#secrets.none ? "" : bytes.toString("utf8");
    const hidden = this.#secrets.hide(text);
    const kept = await this.#into.addBlob(hidden === text ? bytes : Buffer.from(hidden));
    this.#found(number, blob, kept);
  }

  async #takeFile(line: Line): Promise<void> {
    const { number } = line;
    const { file, name, mediaType: type, bytes } = fitting(FileLine, line);
    if (++this.#files > FILES_MAX)
      refuseLine(number, `begins one file more than the ${FILES_MAX} that are taken`);
    const pieces = this.#stretches(line, file, bytes);
    if (!(await this.#into.addFile({ file, name, type, bytes }, pieces)))
      refuse(
        "conflict",
        `Line ${number} brings ${file}, and another file has that id here. Nothing of it was imported.`,
        {
          line: number,
        },
      );
    this.#found(number, file, undefined);
  }

  #found(number: number, name: string, kept: BlobInfo | undefined): void {
    this.#pending.set(name, kept);
    if (this.#pending.size > PENDING_MAX)
      refuseLine(number, "has more in front of it than an event can name");
  }

  #takeEnd(line: Line): void {
    this.#end = fitting(EndLine, line);
    if (this.#end.end !== this.#last)
      refuseLine(line.number, `says that it ends at ${this.#end.end}, and it ends at ${this.#last}`);
  }

  /** The bytes that begin in this line, and go on in those that follow it. */
  async *#stretches(first: Line, name: string, size: number): AsyncGenerator<Buffer> {
    let line = first;
    for (let offset = 0; ;) {
      const { number } = line;
      const { blob, file } = line.value;
      const stretch = (blob ?? file) === name ? stretchOf(line) : undefined;
      if (stretch?.bytes !== size || stretch.offset !== offset)
        refuseLine(number, `does not go on with what begins in line ${first.number}`);
      const { content } = stretch;
      offset += content.byteLength;
      if (offset > size || (content.byteLength === 0 && size > 0))
        refuseLine(number, `has not the bytes that line ${first.number} says`);
      yield content;
      if (offset === size) return;
      const next = await this.#lines.next();
      if (next.done === true)
        refuseLine(number, `is the last, and what begins in line ${first.number} is not all there`);
      line = next.value;
    }
  }
}

type Stretch = { bytes: number; offset: number; content: Buffer };

function stretchOf(line: Line): Stretch {
  if ("file" in line.value) {
    const { bytes, offset, base64 } = fitting(FileLine, line);
    return { bytes, offset, content: Buffer.from(base64, "base64") };
  }
  const { bytes, offset, text, base64 } = fitting(BlobLine, line);
  if ((text === undefined) === (base64 === undefined))
    refuseLine(line.number, "has to have either text or base64");
  const content = text === undefined ? Buffer.from(base64 ?? "", "base64") : Buffer.from(text);
  return { bytes, offset, content };
}

function fitting<T extends z.ZodType>(schema: T, { number, value }: Line): z.output<T> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  return refuseLine(number, `does not fit: ${faultOf(result.error)}`);
}
