// Live fan-out: one feed for each log that someone follows. A wake costs one page read and one frame for each wire format,
// however many follow; a reader that is behind reads pages by itself until it stands where the feed stands, and joins there,
// in the same tick, so that nothing is missed and nothing comes twice.
import { seqOf, type Position } from "../session/position.ts";
import type { LogId, Page, Store } from "../store/store.ts";
import { eventsFrame } from "./socket-frame.ts";
import { sseFrame } from "./sse-frame.ts";

export interface Reader {
  /** It has been given everything up to here. The feed moves it on. */
  position: Position;
  /** A page from before the feed's tail; may wait until there is room. False: it follows no longer. */
  replay(page: Page): Promise<boolean>;
  /** Reached the tail for the first time: the last thing that it may wait for. */
  arrived?(): Promise<void>;
  /** From here on pages come by themselves. */
  joined(): void;
  /** Must not wait. */
  live(page: LivePage): void;
  /** The log is over, and it has all of it. */
  closed(): void;
  /** The log was deleted, or can no longer be read. */
  gone(reason: "deleted" | "failed"): void;
}

/** Frames are made when the first reader wants them, and shared by all. */
export class LivePage {
  readonly #log: LogId;
  readonly #page: Page;
  readonly #now: () => number;
  #sse: Buffer | undefined;
  #ws: Buffer | undefined;
  constructor(log: LogId, page: Page, now: () => number) {
    this.#log = log;
    this.#page = page;
    this.#now = now;
  }
  get sse(): Buffer {
    return (this.#sse ??= sseFrame(this.#page, this.#page.upToDate, this.#now()));
  }
  get ws(): Buffer {
    return (this.#ws ??= eventsFrame(this.#log, this.#page.bytes));
  }
}

/** A page of a replay: large enough that its cost is the bytes, small enough to be held for each reader. */
const REPLAY_BYTES = 256 * 1024;
const LIVE_BYTES = 256 * 1024;

export type FeedsOptions = {
  store: Pick<Store, "head" | "page" | "watch">;
  now: () => number;
  onError(error: unknown, log: LogId): void;
};

export class Feeds {
  readonly #options: FeedsOptions;
  readonly #feeds = new Map<LogId, Feed>();

  constructor(options: FeedsOptions) {
    this.#options = options;
  }

  /** For as long as the reader follows; ends with the signal, the log, or the reader's own wish. */
  async follow(log: LogId, reader: Reader, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const feed = this.#feeds.get(log) ?? this.#start(log);
    feed.followers++;
    try {
      await feed.follow(reader, signal);
    } finally {
      if (--feed.followers === 0) this.#end(log, feed);
    }
  }

  get size(): number {
    return this.#feeds.size;
  }

  #start(log: LogId): Feed {
    const feed = new Feed(log, this.#options, (error) => {
      this.#end(log, feed); // the next follower begins anew
      if (error !== undefined) this.#options.onError(error, log);
    });
    this.#feeds.set(log, feed);
    return feed;
  }

  #end(log: LogId, feed: Feed): void {
    feed.stop();
    if (this.#feeds.get(log) === feed) this.#feeds.delete(log);
  }
}

class Feed {
  followers = 0;
  readonly #log: LogId;
  readonly #store: FeedsOptions["store"];
  readonly #now: () => number;
  readonly #life = new AbortController();
  readonly #joined = new Set<Reader>();
  readonly #ready: Promise<void>;
  readonly #over = Promise.withResolvers<void>();
  /** Everything up to here has gone out. */
  #tail = "" as Position; // until #ready
  #closed = false;
  #gone: "deleted" | "failed" | undefined;
  #moved = Promise.withResolvers<void>();

  constructor(log: LogId, { store, now }: FeedsOptions, onEnd: (error?: unknown) => void) {
    this.#log = log;
    this.#store = store;
    this.#now = now;
    const wakes = store.watch(log, this.#life.signal); // before the first read
    this.#ready = this.#begin();
    this.#ready
      .then(() => this.#run(wakes))
      .then(
        () => onEnd(),
        (error: unknown) => {
          this.#lose("failed");
          onEnd(error);
        },
      );
  }

  stop(): void {
    this.#life.abort();
  }

  async follow(reader: Reader, signal: AbortSignal): Promise<void> {
    await this.#ready;
    let hasArrived = false;
    while (!signal.aborted) {
      if (this.#gone !== undefined) return reader.gone(this.#gone);
      if (reader.position === this.#tail) {
        if (hasArrived || reader.arrived === undefined) return this.#join(reader, signal);
        hasArrived = true;
        await reader.arrived();
      } else if (reader.position > this.#tail) {
        await abortable(this.#moved.promise, signal); // it read a commit that the feed has yet to see
      } else {
        if (!(await this.#replay(reader, signal))) return;
      }
    }
  }

  async #replay(reader: Reader, signal: AbortSignal): Promise<boolean> {
    const tail = this.#tail;
    const page = await this.#store.page(this.#log, reader.position, REPLAY_BYTES);
    if (signal.aborted) return false;
    if (page.count === 0) {
      reader.position = tail; // what stood between were drafts, and their fact has come
      return true;
    }
    if (!(await reader.replay(page))) return false;
    reader.position = page.last;
    return true;
  }

  /** Resolves when the reader has left or the log has ended. */
  async #join(reader: Reader, signal: AbortSignal): Promise<void> {
    if (this.#closed) return reader.closed();
    this.#joined.add(reader);
    reader.joined();
    await abortable(this.#over.promise, signal);
    this.#joined.delete(reader);
  }

  async #begin(): Promise<void> {
    const head = await this.#store.head(this.#log);
    if (head === undefined) return this.#lose("deleted");
    this.#tail = head.position;
    this.#closed = head.closed;
  }

  async #run(wakes: AsyncIterableIterator<void>): Promise<void> {
    if (this.#gone !== undefined) return;
    for await (const _ of wakes) {
      await this.#advance();
      if (this.#gone !== undefined || this.#closed) return;
    }
    if (!this.#life.signal.aborted) this.#lose("failed"); // the store has closed
  }

  async #advance(): Promise<void> {
    const before = this.#tail;
    for (let upToDate = false; !upToDate;) {
      const page = await this.#store.page(this.#log, this.#tail, LIVE_BYTES);
      if (page.count > 0) this.#send(page);
      upToDate = page.upToDate || page.count === 0;
    }
    // Drafts close nothing, and are most of the traffic. A wake without any event may be a deletion.
    if (this.#tail === before || seqOf(this.#tail) > seqOf(before)) await this.#look();
  }

  #send(page: Page): void {
    this.#tail = page.last;
    const live = new LivePage(this.#log, page, this.#now);
    for (const reader of this.#joined) {
      reader.position = page.last;
      reader.live(live);
    }
    this.#move();
  }

  async #look(): Promise<void> {
    const head = await this.#store.head(this.#log);
    if (head === undefined) return this.#lose("deleted");
    if (!head.closed || head.position !== this.#tail) return;
    this.#closed = true;
    for (const reader of this.#joined) reader.closed();
    this.#over.resolve();
    this.#move();
  }

  #lose(reason: "deleted" | "failed"): void {
    this.#gone = reason;
    for (const reader of this.#joined) reader.gone(reason);
    this.#over.resolve();
    this.#move();
  }

  #move(): void {
    this.#moved.resolve();
    this.#moved = Promise.withResolvers();
  }
}

async function abortable(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  const aborted = Promise.withResolvers<void>();
  const abort = () => aborted.resolve();
  signal.addEventListener("abort", abort);
  if (signal.aborted) abort();
  await Promise.race([promise, aborted.promise]);
  signal.removeEventListener("abort", abort);
}
