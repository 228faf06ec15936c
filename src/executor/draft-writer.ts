// Deltas into drafts: gathered until the next beat, written one append at a time, never splitting a surrogate pair, and
// without the secrets that Holdfast knows.
import type { Secrets } from "../secret/secrets.ts";
import type { Veil } from "../secret/veil.ts";
import type { DraftData, NewDraft } from "../session/event.ts";
import type { DraftBeat } from "./draft-beat.ts";

const FLUSH_CHARS = 4096;
/** What a call says beyond this stays in its output file. */
const OUTPUT_MAX_CHARS = 64 * 1024;

type Part = { kind: DraftData["kind"]; offset: number; pending: string; veil: Veil | undefined };

export type DraftSink = (drafts: NewDraft[]) => Promise<void>;

export class DraftWriter {
  readonly #sink: DraftSink;
  readonly #beat: DraftBeat;
  readonly #secrets: Secrets;
  readonly #parts = new Map<string, Part>();
  #cancel: (() => void) | undefined;
  #writing: Promise<void> = Promise.resolve();
  #failure: unknown;

  constructor(beat: DraftBeat, secrets: Secrets, sink: DraftSink) {
    this.#beat = beat;
    this.#secrets = secrets;
    this.#sink = sink;
  }

  add(part: string, kind: DraftData["kind"], text: string): void {
    const open = this.#parts.get(part) ?? { kind, offset: 0, pending: "", veil: this.#secrets.veil() };
    this.#parts.set(part, open);
    if (!grow(open, open.veil ? open.veil.push(text) : text)) return;
    if (open.pending.length >= FLUSH_CHARS) void this.#write();
    else this.#cancel ??= this.#beat.join(() => this.#write());
  }

  /** Everything that was said is written, or this throws what went wrong. */
  async flush(): Promise<void> {
    await this.#write(true);
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** For when a fact follows that says it all: only what is on its way is waited for. */
  async leaveRest(): Promise<void> {
    this.#cancel?.();
    await this.#writing;
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Resolves when all that was said until now is written, or has failed. */
  #write(all = false): Promise<void> {
    this.#cancel?.();
    this.#cancel = undefined;
    const drafts: NewDraft[] = [];
    for (const [part, open] of this.#parts) {
      if (all && open.veil) grow(open, open.veil.end());
      const text = all ? open.pending : wholePairs(open.pending);
      if (text === "") continue;
      drafts.push({ type: "draft", data: { part, kind: open.kind, offset: open.offset, text } });
      open.offset += text.length;
      open.pending = open.pending.slice(text.length);
    }
    if (drafts.length === 0) return this.#writing;
    this.#writing = this.#writing.then(async () => {
      if (this.#failure !== undefined) return;
      await this.#sink(drafts).catch((error: unknown) => (this.#failure = error));
    });
    return this.#writing;
  }
}

/** False when nothing was added. */
function grow(open: Part, text: string): boolean {
  const room = open.kind === "output" ? OUTPUT_MAX_CHARS - open.offset - open.pending.length : Infinity;
  if (room <= 0 || text === "") return false;
  open.pending += room < text.length ? text.slice(0, room) : text;
  return true;
}

/** Without a first half whose second is still to come. */
function wholePairs(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last < 0xdc00 ? text.slice(0, -1) : text;
}
