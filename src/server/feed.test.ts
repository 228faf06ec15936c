import fc from "fast-check";
import { expect, test } from "vitest";
import { formatPosition, START, type Position } from "../session/position.ts";
import type { LogHead, Page } from "../store/store.ts";
import { Wakes } from "../store/wakes.ts";
import { Feeds, type FeedsOptions, type Reader } from "./feed.ts";

const LOG = "ses_1";

test("whatever is appended while readers come, lag and go, each sees every event once and in order", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.oneof(
          fc.record({ do: fc.constant("append" as const), count: fc.integer({ min: 1, max: 5 }) }),
          fc.record({ do: fc.constant("join" as const), lag: fc.integer({ min: 0, max: 3 }) }),
          fc.record({ do: fc.constant("wait" as const), ticks: fc.integer({ min: 1, max: 5 }) }),
        ),
        { minLength: 5, maxLength: 40 },
      ),
      fc.integer({ min: 0, max: 3 }),
      async (steps, readTicks) => {
        const log = new MemoryLog(readTicks);
        const feeds = new Feeds({ store: log, now: () => 0, onError: fail });
        const life = new AbortController();
        const readers: Collector[] = [];
        const follows: Promise<void>[] = [];
        log.append(2);
        for (const step of steps) {
          if (step.do === "append") log.append(step.count);
          if (step.do === "wait") await ticks(step.ticks);
          if (step.do === "join") {
            const reader = new Collector(
              log.positions[Math.max(0, log.positions.length - step.lag - 1)] ?? START,
            );
            readers.push(reader);
            follows.push(feeds.follow(LOG, reader, life.signal));
          }
        }
        log.append(1);
        const end = log.positions.at(-1)!;
        for (let n = 0; n < 500 && readers.some(({ position }) => position !== end); n++) await ticks(1);
        life.abort();
        await Promise.all(follows);
        for (const { from, seen } of readers)
          expect(seen).toEqual(log.positions.filter((each) => each > from));
        expect(feeds.size).toBe(0);
      },
    ),
    { numRuns: 300 },
  );
});

test("readers at the tail are given the same bytes, made once", async () => {
  const log = new MemoryLog(0);
  log.append(1);
  const feeds = new Feeds({ store: log, now: () => 0, onError: fail });
  const life = new AbortController();
  const readers = [new Collector(log.positions[0]!), new Collector(log.positions[0]!)];
  const follows = readers.map((reader) => feeds.follow(LOG, reader, life.signal));
  await until(() => readers.every(({ isJoined }) => isJoined));
  const readsBefore = log.reads;
  log.append(3);
  await until(() => readers.every(({ seen }) => seen.length === 3));
  expect(log.reads).toBe(readsBefore + 1);
  expect(readers[0]!.frames[0]).toBe(readers[1]!.frames[0]);
  life.abort();
  await Promise.all(follows);
});

test("a reader is told of the end after it has everything, behind or not", async () => {
  const log = new MemoryLog(1);
  log.append(3);
  const feeds = new Feeds({ store: log, now: () => 0, onError: fail });
  const life = new AbortController();
  const live = new Collector(log.positions.at(-1)!);
  const following = feeds.follow(LOG, live, life.signal);
  await until(() => live.isJoined);
  log.append(1);
  log.close();
  await following;
  expect(live).toMatchObject({ isClosed: true, seen: log.positions.slice(-1) });
  const late = new Collector(START);
  await feeds.follow(LOG, late, life.signal);
  expect(late).toMatchObject({ isClosed: true, seen: log.positions });
});

test("a reader of a deleted log is told so", async () => {
  const log = new MemoryLog(0);
  log.append(1);
  const feeds = new Feeds({ store: log, now: () => 0, onError: fail });
  const reader = new Collector(log.positions[0]!);
  const following = feeds.follow(LOG, reader, new AbortController().signal);
  await until(() => reader.isJoined);
  log.delete();
  await following;
  expect(reader.goneBy).toBe("deleted");
  const late = new Collector(START);
  await feeds.follow(LOG, late, new AbortController().signal);
  expect(late.goneBy).toBe("deleted");
});

test("a log that can no longer be read ends its readers, is reported, and is tried anew for the next", async () => {
  const log = new MemoryLog(0);
  log.append(1);
  const errors: unknown[] = [];
  const feeds = new Feeds({ store: log, now: () => 0, onError: (error) => errors.push(error) });
  const reader = new Collector(log.positions[0]!);
  const following = feeds.follow(LOG, reader, new AbortController().signal);
  await until(() => reader.isJoined);
  log.failure = new Error("disk on fire");
  log.append(1);
  await following;
  expect([reader.goneBy, errors]).toEqual(["failed", [log.failure]]);
  log.failure = undefined;
  const life = new AbortController();
  const next = new Collector(log.positions[0]!);
  const again = feeds.follow(LOG, next, life.signal);
  await until(() => next.seen.length === 1);
  life.abort();
  await again;
});

class Collector implements Reader {
  position: Position;
  readonly from: Position;
  readonly seen: Position[] = [];
  readonly frames: Buffer[] = [];
  isJoined = false;
  isClosed = false;
  goneBy: string | undefined;
  constructor(position: Position) {
    this.position = this.from = position;
  }
  async replay(page: Page): Promise<boolean> {
    await ticks(1);
    this.seen.push(...positionsIn(page.bytes));
    return true;
  }
  joined(): void {
    this.isJoined = true;
  }
  live(page: { ws: Buffer }): void {
    this.frames.push(page.ws);
    this.seen.push(...positionsIn(page.ws));
  }
  closed(): void {
    this.isClosed = true;
  }
  gone(reason: string): void {
    this.goneBy = reason;
  }
}

/** Only what a feed asks of a store, with reads that take as long as a test wants. */
class MemoryLog implements Pick<Required<FeedsOptions["store"]>, "head" | "page" | "watch"> {
  readonly positions: Position[] = [];
  reads = 0;
  failure: Error | undefined;
  readonly #readTicks: number;
  readonly #wakes = new Wakes();
  #isClosed = false;
  #isDeleted = false;
  constructor(readTicks: number) {
    this.#readTicks = readTicks;
  }
  append(count: number): void {
    for (let n = 0; n < count; n++) this.positions.push(formatPosition(this.positions.length + 1, 0));
    this.#wakes.wake(LOG);
  }
  close(): void {
    this.#isClosed = true;
    this.#wakes.wake(LOG);
  }
  delete(): void {
    this.#isDeleted = true;
    this.#wakes.wake(LOG);
  }
  watch(log: string, signal: AbortSignal): AsyncIterableIterator<void> {
    return this.#wakes.watch(log, signal);
  }
  async head(): Promise<LogHead | undefined> {
    await ticks(this.#readTicks);
    if (this.#isDeleted) return undefined;
    return { id: LOG, kind: "session", position: this.positions.at(-1) ?? START, closed: this.#isClosed };
  }
  async page(_: string, after: Position): Promise<Page> {
    this.reads++;
    await ticks(this.#readTicks);
    if (this.failure) throw this.failure;
    const all = this.positions.filter((each) => each > after);
    const some = all.slice(0, 4);
    await ticks(this.#readTicks); // what was read is old by the time it arrives
    const bytes = Buffer.from(some.map((position) => JSON.stringify({ position })).join(","));
    return { bytes, count: some.length, last: some.at(-1) ?? after, upToDate: some.length === all.length };
  }
}

function positionsIn(bytes: Buffer): Position[] {
  return Array.from(
    bytes.toString("latin1").matchAll(/"position":"(\d{16}_\d{16})"/g),
    (match) => match[1] as Position,
  );
}

async function ticks(count: number): Promise<void> {
  for (let n = 0; n < count; n++) await new Promise((resolve) => setImmediate(resolve));
}

async function until(condition: () => boolean): Promise<void> {
  for (let n = 0; n < 1_000; n++) {
    if (condition()) return;
    await ticks(1);
  }
  throw new Error("waited too long");
}

function fail(error: unknown): void {
  throw error;
}
