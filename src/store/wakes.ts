// Who waits for what: empty wakes for readers of one log, names of changed logs for lists and executors, ids of
// revoked credentials. A wake says "look", so any number of them that nobody has taken yet are one. Drafts are most of
// what is written and change nothing but the text on its way: only those who show it are woken by them.
import { Mailbox } from "./mailbox.ts";
import type { LogId } from "./store.ts";

/** Facts, and whatever else lists should see; or nothing but text on its way. */
export type Change = "facts" | "drafts";

type Readers = Map<LogId, Set<Mailbox<LogId, void>>>;

export class Wakes {
  #readers: Readers = new Map();
  #factReaders: Readers = new Map();
  #lists = new Set<Mailbox<LogId, ReadonlySet<LogId>>>();
  #guards = new Set<Mailbox<string, string>>();
  #woken = new Map<LogId, Change>();
  #closed = false;

  watch(log: LogId, signal: AbortSignal, only?: "facts"): AsyncIterableIterator<void> {
    const all = only === "facts" ? this.#factReaders : this.#readers;
    const readers = all.get(log) ?? new Set();
    all.set(log, readers);
    const forget = () => {
      if (readers.size === 0 && all.get(log) === readers) all.delete(log);
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
  wake(log: LogId, what: Change = "facts"): void {
    if (this.#woken.size === 0) queueMicrotask(() => this.#flush());
    if (what === "facts" || !this.#woken.has(log)) this.#woken.set(log, what);
  }

  /** When hints may have been missed: whoever waits looks. */
  wakeAll(): void {
    for (const log of this.watched()) this.wake(log);
  }

  revoked(id: string): void {
    for (const guard of this.#guards) guard.post(id);
  }

  /** By someone who wants all of it. */
  isWatched(log: LogId): boolean {
    return this.#readers.has(log);
  }

  /** The logs that someone reads: what nobody reads needs no polling. */
  watched(): Iterable<LogId> {
    return new Set([...this.#readers.keys(), ...this.#factReaders.keys()]);
  }

  close(): void {
    this.#closed = true;
    const readers = [...this.#readers.values(), ...this.#factReaders.values()];
    for (const waiting of [...readers, this.#lists, this.#guards])
      for (const mailbox of waiting) mailbox.end();
  }

  #flush(): void {
    const woken = this.#woken;
    this.#woken = new Map();
    for (const [log, what] of woken) {
      this.#readers.get(log)?.forEach((reader) => reader.post(log));
      if (what === "drafts") continue;
      this.#factReaders.get(log)?.forEach((reader) => reader.post(log));
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
