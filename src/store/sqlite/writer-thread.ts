// The main thread's end of the writer: calls of a tick go out together, and are answered in their order; drafts that
// come alone are not handed over at all.
import { Worker } from "node:worker_threads";
import { StorageError, type StoreHealth } from "../store.ts";
import { errorOf, failureOf } from "./failure.ts";
import type { Call, Reply } from "./group.ts";
import { LoneWriter } from "./lone-writer.ts";
import type { VerbArgs, VerbName, VerbResult } from "./verbs.ts";
import type { Calls, FromWriter, ToWriter, WriterData } from "./writer.ts";

const WAITING_MAX = 10_000;
const KEPT_MAX = 4_096;
/** So that the writer begins while the rest of the tick is still being made ready; the first few at once. */
const FIRST_CALLS = 4;
const MORE_CALLS = 16;

type Waiting = { resolve: (value: unknown) => void; reject: (error: Error) => void };

export class WriterThread {
  readonly #worker: Worker;
  readonly #ended: Promise<void>;
  readonly #lone: LoneWriter;
  /** Messages, and of those the ones that the thread is done with. Both go round at 2^32. */
  #sent = 0;
  readonly #handled: Int32Array;
  #waiting: Waiting[] = [];
  #answered = 0;
  #calls: Call[] = [];
  #enough = FIRST_CALLS;
  #scheduled = false;
  #health: StoreHealth;
  #closed: StorageError | undefined;

  private constructor(worker: Worker, { file, handled }: WriterData, health: StoreHealth) {
    this.#worker = worker;
    this.#health = health;
    this.#handled = handled;
    this.#lone = new LoneWriter(file, (error) => this.#loneFailed(error));
    this.#ended = new Promise((resolve) => worker.once("exit", () => resolve()));
    worker.on("message", (message: FromWriter) => this.#receive(message));
    worker.on("error", (error) =>
      this.#end(new StorageError("broken", "the writer's thread died", { cause: error })),
    );
    worker.on("exit", () => this.#end(new StorageError("broken", "the store is closed")));
  }

  static async open(given: Omit<WriterData, "handled">): Promise<{ writer: WriterThread; store: string }> {
    const data = { ...given, handled: new Int32Array(new SharedArrayBuffer(4)) };
    // The same extension as this file, so that it runs from source and as built.
    const worker = new Worker(new URL(`./writer${import.meta.url.slice(-3)}`, import.meta.url), {
      workerData: data,
    });
    const first = await new Promise<FromWriter>((resolve, reject) => {
      worker.once("message", resolve);
      worker.once("error", reject);
    });
    if ("opened" in first) {
      const { store, health } = first.opened;
      return { writer: new WriterThread(worker, data, health), store };
    }
    await worker.terminate();
    throw "notOpened" in first
      ? errorOf(first.notOpened)
      : new Error("the writer's thread did not say that it is open");
  }

  /** Resolves when what the verb did is on the disk. */
  call<Name extends VerbName>(verb: Name, ...args: VerbArgs<Name>): Promise<VerbResult<Name>> {
    if (this.#closed) return Promise.reject(this.#closed);
    if (this.#waiting.length - this.#answered >= WAITING_MAX)
      return Promise.reject(
        new StorageError(
          "busy",
          `${WAITING_MAX} writes are waiting for the disk: try again when it has caught up`,
        ),
      );
    this.#calls.push([verb, ...args]);
    if (this.#calls.length >= this.#enough) this.#send(false);
    if (!this.#scheduled) {
      this.#scheduled = true;
      // After all that this tick's promises lead to, which is when 64 writers that were just answered have come back.
      process.nextTick(() => this.#send(true));
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve: resolve as (value: unknown) => void, reject });
    });
  }

  /** As `append` does, for a batch that is all drafts. */
  appendDrafts(...args: VerbArgs<"append">): Promise<VerbResult<"append">> {
    const reply = this.#isAtRest() ? this.#lone.append(...args) : undefined;
    if (!reply) return this.call("append", ...args);
    const [value, failure] = reply;
    return failure ? Promise.reject(errorOf(failure)) : Promise.resolve(value as VerbResult<"append">);
  }

  health(): StoreHealth {
    return this.#health;
  }

  async close(): Promise<void> {
    if (this.#closed) return this.#ended;
    this.#lone.close(); // before the thread closes its own, which then tidies up the journal
    this.#send(true);
    this.#worker.postMessage("close" satisfies ToWriter);
    await this.#ended;
  }

  /** The thread has done all that it was told, and could; what it does by itself are no events. */
  #isAtRest(): boolean {
    return (
      !this.#closed &&
      this.#health.ok &&
      this.#calls.length === 0 &&
      Atomics.load(this.#handled, 0) === this.#sent
    );
  }

  #loneFailed(error: StorageError): void {
    if (error.kind === "busy") return; // it passes, and the thread will see for itself
    this.#health = { ok: false, reason: error.message };
    this.#post({ calls: [], last: true, failed: failureOf(error) });
  }

  #post(calls: Calls): void {
    this.#sent = (this.#sent + 1) | 0;
    this.#worker.postMessage({ ...calls, lone: this.#lone.handOver() } satisfies ToWriter);
  }

  #send(last: boolean): void {
    this.#post({ calls: this.#calls, last });
    this.#calls = [];
    this.#enough = last ? FIRST_CALLS : MORE_CALLS;
    if (last) this.#scheduled = false;
  }

  #receive(message: FromWriter): void {
    if ("replies" in message) {
      this.#lone.otherWrote();
      for (const reply of message.replies) this.#settle(reply);
    } else if ("health" in message) this.#health = message.health;
  }

  #settle([value, failure]: Reply): void {
    const waiting = this.#waiting[this.#answered++];
    // Under steady load it never runs empty: what was answered is let go of all the same.
    if (this.#answered >= KEPT_MAX || this.#answered === this.#waiting.length) {
      this.#waiting = this.#waiting.slice(this.#answered);
      this.#answered = 0;
    }
    if (failure) waiting?.reject(errorOf(failure));
    else waiting?.resolve(value);
  }

  #end(error: StorageError): void {
    if (this.#closed) return;
    this.#closed = error;
    this.#lone.close();
    this.#health = { ok: false, reason: error.message };
    for (const { reject } of this.#waiting.splice(this.#answered)) reject(error);
  }
}
