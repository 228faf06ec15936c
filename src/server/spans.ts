// Spans of a log for catching up: as many of the store's pages as one answer is worth. Whoever got one that does not reach
// the end asks for the next at once, so that is read while the one before is still on its way.
import type { Position } from "../session/position.ts";
import { DamagedEvent, type LogId, type Page, type Store } from "../store/store.ts";

export type Span = { pages: Page[]; last: Position; upToDate: boolean };

/** A span ends with the page that reaches this. */
const SPAN_BYTES = 1 << 20;
const AHEAD_MAX = 8;
const AHEAD_MS = 1_000;

export class Spans {
  readonly #store: Pick<Store, "page">;
  readonly #ahead = new Map<string, { span: Promise<Span>; drop: NodeJS.Timeout }>();
  constructor(store: Pick<Store, "page">) {
    this.#store = store;
  }

  /** `end` is where the log was seen to end a moment ago. */
  async read(log: LogId, after: Position, end: Position): Promise<Span> {
    return (await this.#take(log, after, end)) ?? (await this.#read(log, after));
  }

  /** What lies behind a span may be read before it is asked for: it changes only by what comes behind its end. */
  async readAhead(log: LogId, after: Position): Promise<void> {
    const name = `${log} ${after}`;
    if (this.#ahead.size >= AHEAD_MAX || this.#ahead.has(name)) return;
    const span = this.#read(log, after, "aside");
    const drop = setTimeout(() => this.#ahead.delete(name), AHEAD_MS).unref();
    this.#ahead.set(name, { span, drop });
    await span;
  }

  async #take(log: LogId, after: Position, end: Position): Promise<Span | undefined> {
    const found = this.#ahead.get(`${log} ${after}`);
    if (!found) return undefined;
    this.#ahead.delete(`${log} ${after}`);
    clearTimeout(found.drop);
    const span = await found.span.catch(() => undefined); // told by readAhead; to be met again
    const isOld = span?.upToDate === true && span.last < end;
    return isOld || span?.pages.length === 0 ? undefined : span;
  }

  async #read(log: LogId, after: Position, how?: "aside"): Promise<Span> {
    const span: Span = { pages: [], last: after, upToDate: false };
    for (let bytes = 0; bytes < SPAN_BYTES && !span.upToDate;) {
      const page = await this.#page(log, span, how);
      if (page === undefined) break;
      if (page.count > 0) span.pages.push(page);
      bytes += page.bytes.length;
      span.last = page.last;
      span.upToDate = page.upToDate;
    }
    return span;
  }

  /** Undefined where the log is damaged behind what was read: that goes out first, and the next who asks is told. */
  async #page(log: LogId, { last, pages }: Span, how?: "aside"): Promise<Page | undefined> {
    try {
      return await this.#store.page(log, last, SPAN_BYTES, how);
    } catch (error) {
      if (error instanceof DamagedEvent && pages.length > 0) return undefined;
      throw error;
    }
  }
}
