// A session that this executor holds: its lease, its two folds, and the only way to append to it. What it decides, it
// decides on facts: drafts are for those who watch, and after a crash there may be thousands of them.
import { failpoint } from "../failpoint.ts";
import { apply } from "../session/apply.ts";
import { applyContext, emptyContext, type Context } from "../session/context.ts";
import { isDraft } from "../session/draft.ts";
import type { AnyEvent, By, NewEvent } from "../session/event.ts";
import { formatPosition, seqOf, START, type Position } from "../session/position.ts";
import { emptyView, type View } from "../session/view.ts";
import type { Appended, Lease, Store } from "../store/store.ts";

const PAGE_FACTS = 500;

type Written = Extract<Appended, { ok: true }>;

/** The lease went to another: all that is left is to stop, the new holder goes on from the log. */
export class LeaseLost extends Error {}

export class HeldSession {
  readonly lease: Lease;
  readonly context: Context = emptyContext();
  readonly #store: Store;
  #view: View;
  /** How far the context is folded: it begins at the log's start, the view perhaps at a snapshot. */
  #contextAt: Position = START;
  /** Undefined while what was there before is being read: a copied log has epochs that are not its own. */
  #openedAt: Position | undefined;
  /** Appends and reads of one session go one after the other. */
  #queue: Promise<unknown> = Promise.resolve();

  private constructor(store: Store, lease: Lease, view: View) {
    this.#store = store;
    this.lease = lease;
    this.#view = view;
  }

  static async open(store: Store, lease: Lease): Promise<HeldSession> {
    const snapshot = await store.snapshot(lease.log);
    const held = new HeldSession(store, lease, snapshot?.view ?? emptyView());
    await held.catchUp();
    if (held.#contextAt === START) throw new LeaseLost(`${lease.log} is gone`);
    held.#openedAt = held.#contextAt;
    return held;
  }

  get id(): string {
    return this.lease.log;
  }

  get view(): View {
    return this.#view;
  }

  /** Folds what it wrote, together with what others wrote in between: the log alone says what is so. */
  append(events: readonly NewEvent[]): Promise<void> {
    return this.#inTurn(async () => this.#follow(events, await this.#write(events)));
  }

  /** What was decided on this view: false, and nothing is written, when others have appended facts since. */
  appendDecided(events: readonly NewEvent[]): Promise<boolean> {
    const decidedOn = seqOf(this.#view.position); // and not on what is read while this waits for its turn
    return this.#inTurn(async () => {
      const written = await this.#write(events, decidedOn);
      await this.#follow(events, written);
      return written !== undefined;
    });
  }

  /** For text on its way: true when others have appended facts meanwhile. */
  appendDrafts(events: readonly NewEvent[]): Promise<boolean> {
    return this.#inTurn(async () => {
      const written = await this.#write(events);
      return written === undefined || seqOf(written.position) > seqOf(this.#view.position);
    });
  }

  catchUp(): Promise<void> {
    return this.#inTurn(() => this.#readOn());
  }

  /** Undefined when the log has moved on from `expectSeq`. */
  async #write(events: readonly NewEvent[], expectSeq?: number): Promise<Written | undefined> {
    const drafts = events.every(isDraft);
    if (!drafts) failpoint("before-commit");
    const appended = await this.#store.append(
      this.id,
      events,
      { by: "executor", lease: this.lease },
      expectSeq === undefined ? {} : { expectSeq },
    );
    if (!drafts) failpoint("after-commit");
    if (appended.ok) return appended;
    if (appended.code === "moved") return undefined;
    throw new LeaseLost(`${this.id}: ${appended.code}`);
  }

  /** What stands directly behind what it knows need not be read back: it is known, and so is where it stands. */
  async #follow(events: readonly NewEvent[], written: Written | undefined): Promise<void> {
    const seq = seqOf(this.#view.position);
    const isNext =
      written?.at !== undefined &&
      seqOf(this.#contextAt) === seq &&
      seqOf(written.position) === seq + events.length &&
      !events.some(isDraft);
    if (!isNext) return this.#readOn();
    const by: By = { executor: this.lease.holder, epoch: this.lease.epoch };
    for (const [n, { type, data }] of events.entries()) {
      const event = { position: formatPosition(seq + n + 1, 0), at: written.at, by, type, data };
      await this.#fold(JSON.parse(JSON.stringify(event)) as AnyEvent); // as the log has it
    }
  }

  async #readOn(): Promise<void> {
    for (;;) {
      const from = this.#view.position < this.#contextAt ? this.#view.position : this.#contextAt;
      const facts = await this.#store.events(this.id, from, PAGE_FACTS, "facts");
      for (const event of facts) {
        this.#checkHolder(event);
        await this.#fold(event);
      }
      if (facts.length < PAGE_FACTS) return;
    }
  }

  async #fold(event: AnyEvent): Promise<void> {
    if (event.position > this.#contextAt) {
      applyContext(this.context, event);
      this.#contextAt = event.position;
    }
    if (event.position > this.#view.position && apply(this.#view, event).outcome === "gap") {
      const view = await this.#store.view(this.id);
      if (!view) throw new LeaseLost(`${this.id} is gone`);
      this.#view = view;
    }
  }

  /** A holder that was slow rather than dead must not go on with what its successor wrote. */
  #checkHolder({ by, position }: AnyEvent): void {
    if (this.#openedAt === undefined || position <= this.#openedAt || !("epoch" in by)) return;
    if (by.epoch > this.lease.epoch) throw new LeaseLost(`${this.id}: epoch ${by.epoch} has written`);
  }

  #inTurn<T>(run: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(run);
    this.#queue = result.catch(() => {}); // the caller hears of it; the next one tries for itself
    return result;
  }
}
