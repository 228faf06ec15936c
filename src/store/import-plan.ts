// What a session that is brought in comes to: its facts made ready for either database, some at a time, and folded on the way.
import { apply } from "../session/apply.ts";
import type { AnyEvent, By, NewFact } from "../session/event.ts";
import { rowOf } from "../session/fork.ts";
import { importFacts } from "../session/import.ts";
import { formatPosition, seqOf } from "../session/position.ts";
import type { RowState } from "../session/row.ts";
import { emptyView } from "../session/view.ts";
import { copyBatch, entryOf, type Batch, type Entry } from "./batch.ts";

/** Small enough that others' appends go on in between. */
const SLICE_FACTS = 250;
const SLICE_CHARS = 1 << 20;

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
  #entries: Entry[] = [];
  #chars = 0;
  #epoch = 0;

  /** The next slice to write, once there is one. */
  take(fact: AnyEvent): Slice | undefined {
    const { at, by } = fact;
    // What is none of ours falls through wherever its type is looked at.
    const event = fact as AnyEvent & NewFact;
    const entry = entryOf(event, at, by, { facts: this.#entries.length + 1, drafts: 0 });
    const { outcome } = apply(this.#view, fact);
    if (outcome !== "applied") throw new Error(`${fact.position} does not follow ${this.#view.position}`);
    this.#entries.push(entry);
    this.#chars += entry.body.length;
    if ("executor" in by) this.#epoch = Math.max(this.#epoch, by.epoch);
    const isFull = this.#entries.length >= SLICE_FACTS || this.#chars >= SLICE_CHARS;
    return isFull ? this.rest() : undefined;
  }

  /** What was not written yet. */
  rest(): Slice | undefined {
    if (this.#entries.length === 0) return undefined;
    const batch = copyBatch(this.#entries);
    this.#entries = [];
    this.#chars = 0;
    return { batch, after: seqOf(this.#view.position) - batch.facts };
  }

  /** Once all facts have come. */
  end(from: string | undefined, at: string, by: By): ImportEnd {
    const view = this.#view;
    const seq = seqOf(view.position);
    const facts = importFacts(view, from);
    facts.forEach((fact, n) => apply(view, { position: formatPosition(seq + 1 + n, 0), at, by, ...fact }));
    const { profile, workspace } = view.meta;
    return { seq, epoch: this.#epoch, facts, row: rowOf(view), profile, workspace };
  }
}

export type Slice = {
  batch: Batch;
  /** The fact that it follows. */
  after: number;
};
