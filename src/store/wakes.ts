// Who waits for what: empty wakes for readers of one log, names of changed logs for lists and executors, ids of
// revoked credentials. A wake says "look", so any number of them that nobody has taken yet are one.
import { Mailbox } from "./mailbox.ts";
import type { LogId } from "./store.ts";

export class Wakes {
  #readers = new Map<LogId, Set<Mailbox<LogId, void>>>();
  #lists = new Set<Mailbox<LogId, ReadonlySet<LogId>>>();
  #guards = new Set<Mailbox<string, string>>();
  #woken = new Set<LogId>();
  #closed = false;

  watch(log: LogId, signal: AbortSignal): AsyncIterableIterator<void> {
    const readers = this.#readers.get(log) ?? new Set();
    this.#readers.set(log, readers);
    const forget = () => {
      if (readers.size === 0 && this.#readers.get(log) === readers) this.#readers.delete(log);
    };
    return this.#join(readers, (pending) => pending.clear(), signal, forget);
  }

  changes(signal: AbortSignal): AsyncIterableIterator<ReadonlySet<LogId>> {
    return this.#join(this.#lists, takeAll, signal);
  }

  revocations(signal: AbortSignal): AsyncIterableIterator<string> {
    return this.#join(this.#guards, takeFirst, signal);
  }

  /** Wakes of a tick go out together, once all that the tick brought is there to be read. */
  wake(log: LogId): void {
    if (this.#woken.size === 0) queueMicrotask(() => this.#flush());
    this.#woken.add(log);
  }

  /** When hints may have been missed: whoever waits looks. */
  wakeAll(): void {
    for (const log of this.#readers.keys()) this.wake(log);
  }

  revoked(id: string): void {
    for (const guard of this.#guards) guard.post(id);
  }

  isWatched(log: LogId): boolean {
    return this.#readers.has(log);
  }

  /** The logs that someone reads: what nobody reads needs no polling. */
  watched(): Iterable<LogId> {
    return this.#readers.keys();
  }

  close(): void {
    this.#closed = true;
    for (const readers of [...this.#readers.values(), this.#lists, this.#guards])
      for (const mailbox of readers) mailbox.end();
  }

  #flush(): void {
    const woken = this.#woken;
    this.#woken = new Set();
    for (const log of woken) {
      for (const reader of this.#readers.get(log) ?? []) reader.post(log);
      for (const list of this.#lists) list.post(log);
    }
  }

  #join<T, Out>(
    all: Set<Mailbox<T, Out>>,
    take: (pending: Set<T>) => Out,
    signal: AbortSignal,
    left?: () => void,
  ): Mailbox<T, Out> {
    const mailbox = new Mailbox(take, () => {
      all.delete(mailbox);
      signal.removeEventListener("abort", end);
      left?.();
    });
    const end = () => mailbox.end();
    all.add(mailbox);
    signal.addEventListener("abort", end);
    if (signal.aborted || this.#closed) end();
    return mailbox;
  }
}

function takeAll<T>(pending: Set<T>): ReadonlySet<T> {
  const all = new Set(pending);
  pending.clear();
  return all;
}

function takeFirst<T>(pending: Set<T>): T {
  const [first] = pending as Set<T> & Iterable<T, undefined>;
  pending.delete(first as T); // asked only when there is one
  return first as T;
}
