// What a session that is brought in comes to: its facts, and the drafts that none of them has made superfluous, made ready for
// either database, some at a time, and folded on the way.
import { apply } from "../session/apply.ts";
import { isDraft, sweptBy } from "../session/draft.ts";
import type { AnyEvent, By, LongText, NewEvent, NewFact } from "../session/event.ts";
import { openCalls, rowOf } from "../session/fork.ts";
import { importFacts, type Brought } from "../session/import.ts";
import { formatPosition, seqOf, subOf } from "../session/position.ts";
import type { RowState } from "../session/row.ts";
import { emptyView } from "../session/view.ts";
import { copyBatch, entryOf, type Batch, type Entry } from "./batch.ts";

/** Small enough that others' appends go on in between. */
const SLICE_EVENTS = 250;
const SLICE_CHARS = 1 << 20;
/**
 * Of each kind, open at once: far more than a session ever has. All of it is held in memory until the end, and closed there
 * in one transaction.
 */
const OPEN_MAX = 5_000;
/** Of all that is held; looked at now and then, since it has to be written out to be measured. */
const HELD_MAX_CHARS = 64 << 20;
const LOOK_AFTER_CHARS = 16 << 20;

/** What makes a session of the facts that came. */
export type ImportEnd = {
  /** The last of them. */
  seq: number;
  /** The highest that they were written under: epochs never go down in a log. */
  epoch: number;
  facts: NewFact[];
  row: RowState;
  profile: string;
  workspace: string | null;
};

export class ImportPlan {
  readonly #view = emptyView();
  /** The last event that was given to be written. */
  #after = { seq: 0, sub: 0 };
  #entries: Entry[] = [];
  #facts = 0;
  #chars = 0;
  #sweeps: string[] = [];
  #epoch = 0;
  #charsUnlooked = 0;
  /** Whose drafts were written, and no fact has made superfluous yet. */
  readonly #drafting = new Set<string>();

  /** The next slice to write, once there is one. `whole` has the texts that were put aside. */
  take(event: AnyEvent, whole?: (text: LongText) => string): Slice | undefined {
    const { position, at, by } = event;
    const { outcome } = apply(this.#view, event);
    if (isDraft(event) && outcome === "gap") return undefined; // words of which the beginning is missing
    if (outcome !== "applied") throw new Error(`${position} does not follow ${this.#view.position}`);
    if (!isDraft(event)) this.#passFact(event);
    const place = { facts: this.#facts, drafts: subOf(position) - (this.#facts === 0 ? this.#after.sub : 0) };
    // What is none of ours falls through wherever its type is looked at.
    const entry = entryOf(event as AnyEvent & NewEvent, at, by, place, whole);
    this.#refuseTooMuch(event.type, entry.body.length);
    this.#entries.push(entry);
    this.#chars += entry.body.length + (entry.search?.length ?? 0);
    if ("executor" in by) this.#epoch = Math.max(this.#epoch, by.epoch);
    const isFull = this.#entries.length >= SLICE_EVENTS || this.#chars >= SLICE_CHARS;
    return isFull ? this.rest() : undefined;
  }

  /** What a fold keeps is bounded by those who write a log as they work; a file can say anything. */
  #refuseTooMuch(type: string, chars: number): void {
    const { queue, asks, messages, processes, delegates, rules } = this.#view;
    const calls = type === "step_completed" ? openCalls(this.#view) : [];
    const kinds = [queue, asks, messages, processes, delegates, rules, calls];
    if (kinds.some(({ length }) => length > OPEN_MAX))
      throw new RangeError(`more than ${OPEN_MAX} of a kind would be open at once`);
    this.#charsUnlooked += chars;
    if (this.#charsUnlooked < LOOK_AFTER_CHARS) return;
    this.#charsUnlooked = 0;
    if (JSON.stringify(this.#view).length > HELD_MAX_CHARS)
      throw new RangeError(`more than ${HELD_MAX_CHARS} characters would be open at once`);
  }

  /** What was not written yet. */
  rest(): Slice | undefined {
    const last = this.#entries.at(-1);
    if (!last) return undefined;
    const [batch, after] = [copyBatch(this.#entries, this.#facts, last.drafts, this.#sweeps), this.#after];
    for (const { owner } of this.#entries) if (owner !== null) this.#drafting.add(owner);
    this.#after = { seq: after.seq + last.facts, sub: last.drafts + (last.facts === 0 ? after.sub : 0) };
    this.#entries = [];
    this.#sweeps = [];
    this.#facts = 0;
    this.#chars = 0;
    return { batch, after };
  }

  /** A fact that says what its drafts have said takes their place, those that were written before too. */
  #passFact(fact: AnyEvent): void {
    this.#facts += 1;
    const owner = sweptBy(fact);
    if (owner === undefined) return;
    if (this.#drafting.delete(owner)) this.#sweeps.push(owner);
    this.#entries = this.#entries.filter((entry) => entry.owner !== owner);
  }

  /** Once all events have come. */
  end(brought: Brought, at: string, by: By): ImportEnd {
    const view = this.#view;
    const seq = seqOf(view.position);
    const facts = importFacts(view, brought);
    facts.forEach((fact, n) => apply(view, { position: formatPosition(seq + 1 + n, 0), at, by, ...fact }));
    const { profile, workspace } = view.meta;
    return { seq, epoch: this.#epoch, facts, row: rowOf(view), profile, workspace };
  }
}

export type Slice = {
  batch: Batch;
  /** The event that it follows. */
  after: { seq: number; sub: number };
};
