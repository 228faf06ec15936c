// Drafts on their way in, without secrets that we know. A secret may be cut anywhere between two drafts, so what may be the
// beginning of one is held back until the part goes on, or until its owner's answer is over.
import { attemptOf, ownerOf, sweptBy } from "../session/draft.ts";
import type { AnyEvent, Draft, NewFact } from "../session/event.ts";
import { formatPosition, seqOf, subOf, type Position } from "../session/position.ts";
import type { Secrets } from "../secret/secrets.ts";
import type { Veil } from "../secret/veil.ts";

/** More than are on their way at any time. What is open beyond that is let go of. */
const PARTS_MAX = 1_000;

/** `offset` is where its next words stand, which secrets have moved. */
type Part = { veil: Veil; offset: number; last: Draft };

export class ImportedDrafts {
  readonly #secrets: Secrets;
  readonly #parts = new Map<string, Part>();

  constructor(secrets: Secrets) {
    this.#secrets = secrets;
  }

  /** What can be said of it by now. */
  take(draft: Draft): Draft | undefined {
    const { part: id, offset, text } = draft.data;
    const veil = this.#parts.get(id)?.veil ?? this.#secrets.veil();
    if (!veil) return draft;
    const part = this.#parts.get(id) ?? { veil, offset, last: draft };
    this.#parts.set(id, part);
    if (this.#parts.size > PARTS_MAX)
      for (const oldest of this.#parts.keys().take(1)) this.#parts.delete(oldest);
    part.last = draft;
    return this.#said(part, veil.push(text), draft.position);
  }

  /** What was held back of the answer that this fact ends, to stand behind the event at `last`. */
  endBy(fact: AnyEvent, last: Position): Draft[] {
    const whole = sweptBy(fact);
    if (whole !== undefined) this.#of(whole).forEach(([id]) => this.#parts.delete(id)); // it says it itself
    const { type, data } = fact as AnyEvent & NewFact; // what is none of ours ends none
    return type === "step_aborted" ? this.#rest(this.#of(attemptOf(data.step, data.attempt)), last) : [];
  }

  /** The same of all answers. */
  end(last: Position): Draft[] {
    return this.#rest([...this.#parts], last);
  }

  #of(owner: string): [string, Part][] {
    return [...this.#parts].filter(([id]) => ownerOf(id) === owner);
  }

  #rest(parts: readonly [string, Part][], last: Position): Draft[] {
    const drafts: Draft[] = [];
    for (const [id, part] of parts) {
      this.#parts.delete(id);
      const position = formatPosition(seqOf(last), subOf(last) + drafts.length + 1);
      const said = this.#said(part, part.veil.end(), position);
      if (said) drafts.push(said);
    }
    return drafts;
  }

  #said(part: Part, text: string, position: Position): Draft | undefined {
    if (text === "") return undefined;
    const { data, ...stamp } = part.last;
    const { offset } = part;
    part.offset += text.length;
    return { ...stamp, position, data: { ...data, offset, text } };
  }
}
