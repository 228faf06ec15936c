// The main thread's end of the one that reads long replays. It is there from when a long replay begins until a while after
// the last; a page that it can't give is read here.
import { Worker } from "node:worker_threads";
import { releaseOf } from "../page-memory.ts";
import type { Page } from "../store.ts";
import type { Database } from "./database.ts";
import type { FromPageReader, PageReaderData, ToPageReader, Wish } from "./page-reader.ts";
import { readPage } from "./read-page.ts";

const IDLE_MS = 10_000;
/** More would only wait: this thread takes its part of them. */
const WAITING_MAX = 8;

type Thread = {
  worker: Worker;
  isReady: boolean;
  /** Each is told when the thread can't give its page. */
  waiting: ((page: Page | undefined) => void)[];
  idle: NodeJS.Timeout;
  ended: Promise<void>;
};

export class PageThread {
  readonly #file: string;
  readonly #reader: Database;
  #thread: Thread | undefined;
  #closed = false;

  constructor(file: string, reader: Database) {
    this.#file = file;
    this.#reader = reader;
  }

  async read(wish: Wish): Promise<Page> {
    return (await this.#ask(wish)) ?? readPage(this.#reader, wish.log, wish.after, wish.maxBytes);
  }

  async close(): Promise<void> {
    this.#closed = true;
    const ended = this.#thread?.ended;
    this.#end();
    await ended;
  }

  async #ask(wish: Wish): Promise<Page | undefined> {
    if (this.#closed) return undefined;
    const thread = (this.#thread ??= this.#start());
    thread.idle.refresh();
    if (!thread.isReady || thread.waiting.length >= WAITING_MAX) return undefined;
    const { promise, resolve } = Promise.withResolvers<Page | undefined>();
    thread.waiting.push(resolve);
    thread.worker.postMessage(wish satisfies ToPageReader);
    return promise;
  }

  #start(): Thread {
    const data: PageReaderData = { file: this.#file };
    // The same extension as this file, so that it runs from source and as built.
    const worker = new Worker(new URL(`./page-reader${import.meta.url.slice(-3)}`, import.meta.url), {
      workerData: data,
    });
    const ended = Promise.withResolvers<void>();
    const thread: Thread = {
      worker,
      isReady: false,
      waiting: [],
      idle: setTimeout(() => this.#end(), IDLE_MS).unref(),
      ended: ended.promise,
    };
    worker.on("message", (message: FromPageReader) => {
      if (message === "ready") thread.isReady = true;
      else thread.waiting.shift()?.(message === "unread" ? undefined : pageOf(message));
    });
    worker.on("error", () => {}); // it ends with it, and its pages are read here
    worker.on("exit", () => {
      if (this.#thread === thread) this.#end();
      for (const resolve of thread.waiting.splice(0)) resolve(undefined);
      ended.resolve();
    });
    return thread;
  }

  #end(): void {
    const thread = this.#thread;
    this.#thread = undefined;
    clearTimeout(thread?.idle);
    thread?.worker.postMessage("close" satisfies ToPageReader);
  }
}

function pageOf({ bytes: sent, ...rest }: Exclude<FromPageReader, string>): Page {
  const bytes = Buffer.from(sent.buffer, sent.byteOffset, sent.byteLength); // a Buffer comes across as less
  return { ...rest, bytes, release: releaseOf(bytes) };
}
