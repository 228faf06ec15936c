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
  readonly #ahead = new Map<string, { span: Span; drop: NodeJS.Timeout }>();
  constructor(store: Pick<Store, "page">) {
    this.#store = store;
  }

  /** `end` is where the log was seen to end a moment ago. */
  async read(log: LogId, after: Position, end: Position): Promise<Span> {
    return this.#take(log, after, end) ?? (await this.#read(log, after));
  }

  /** What lies behind a span may be read before it is asked for: it changes only by what comes behind its end. */
  async readAhead(log: LogId, after: Position): Promise<void> {
    if (this.#ahead.size >= AHEAD_MAX || this.#ahead.has(`${log} ${after}`)) return;
    const span = await this.#read(log, after);
    if (span.pages.length === 0) return;
    const drop = setTimeout(() => this.#ahead.delete(`${log} ${after}`), AHEAD_MS).unref();
    this.#ahead.set(`${log} ${after}`, { span, drop });
  }

  #take(log: LogId, after: Position, end: Position): Span | undefined {
    const found = this.#ahead.get(`${log} ${after}`);
    this.#ahead.delete(`${log} ${after}`);
    clearTimeout(found?.drop);
    const hasMore = found?.span.upToDate === true && found.span.last !== end;
    return hasMore ? undefined : found?.span;
  }

  async #read(log: LogId, after: Position): Promise<Span> {
    const span: Span = { pages: [], last: after, upToDate: false };
    for (let bytes = 0; bytes < SPAN_BYTES && !span.upToDate;) {
      const page = await this.#page(log, span);
      if (page === undefined) break;
      if (page.count > 0) span.pages.push(page);
      bytes += page.bytes.length;
      span.last = page.last;
      span.upToDate = page.upToDate;
    }
    return span;
  }

  /** Undefined where the log is damaged behind what was read: that goes out first, and the next who asks is told. */
  async #page(log: LogId, { last, pages }: Span): Promise<Page | undefined> {
    try {
      return await this.#store.page(log, last, SPAN_BYTES);
    } catch (error) {
      if (error instanceof DamagedEvent && pages.length > 0) return undefined;
      throw error;
    }
  }
}
