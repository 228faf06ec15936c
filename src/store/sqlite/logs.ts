// Where each log stands, as the one writer knows it. Nothing else writes, so what was read once stays true until the
// writer itself changes it; after a rollback all of it is forgotten and read again, and so is what the other writer has
// written to (lone-writer.ts).
import type { LogId, LogKind } from "../store.ts";
import type { Database } from "./database.ts";
import { readIndexed } from "./search-index.ts";

/** Events that were written one after another share a block: the first part of their index. */
export const BLOCK_EVENTS = 2048;
const KEPT_MAX = 10_000;

export type LogState = {
  readonly key: number;
  readonly id: LogId;
  readonly kind: LogKind;
  /** Of the last event. */
  seq: number;
  sub: number;
  /** Bytes of the log up to its last event. */
  reach: number;
  /** The checksum of its facts up to its last, if that is known. */
  chain: number | null;
  /** The last block that has events of this log. */
  block: number;
  closed: boolean;
  epoch: number;
  holder: string | null;
  leaseUntil: number;
  /** As the row has it: extending a lease with each append writes it only now and then. */
  savedLeaseUntil: number;
  snapshotSeq: number;
  /** Nothing was to do when it was last let go, and no fact came since. */
  rested: boolean;
  /** Owners that are known to have a row in `drafting`. */
  readonly drafting: Set<string>;
};

export class Logs {
  #database: Database;
  #states = new Map<LogId, LogState>();
  /** What the other writer has extended leases to, until their logs are read again. */
  #extended = new Map<LogId, number>();
  #lastEvent: number | undefined;
  #latestMs = 0;

  constructor(database: Database) {
    this.#database = database;
  }

  find(id: LogId): LogState | undefined {
    const known = this.#states.get(id);
    if (known) return known;
    const state = readState(this.#database, id);
    if (!state) return undefined;
    state.leaseUntil = this.#extended.get(id) ?? state.leaseUntil;
    this.#extended.delete(id);
    if (this.#states.size >= KEPT_MAX) this.#forgetIdle();
    this.#states.set(id, state);
    return state;
  }

  forget(id: LogId): void {
    this.#states.delete(id);
    this.#extended.delete(id);
  }

  /** The other writer has written to these, and extended their leases. */
  overtaken(leases: readonly [LogId, leaseUntil: number][]): void {
    this.#lastEvent = undefined;
    for (const [id, until] of leases) {
      this.#states.delete(id);
      this.#extended.set(id, until);
    }
  }

  forgetAll(): void {
    this.#states.clear();
    this.#lastEvent = undefined;
  }

  /** A lease is given or extended from now on. */
  leased(now: number): void {
    if (now > this.#latestMs) this.#latestMs = now;
  }

  /** Whether a lease may count from a later time than now; asked once, since its time is then put right. */
  wentBack(now: number): boolean {
    const before = this.#latestMs;
    this.#latestMs = now;
    return now < before;
  }

  shortenLeases(until: number): void {
    for (const state of this.#states.values()) {
      state.leaseUntil = Math.min(state.leaseUntil, until);
      state.savedLeaseUntil = Math.min(state.savedLeaseUntil, until);
    }
    for (const [id, extended] of this.#extended) this.#extended.set(id, Math.min(extended, until));
  }

  nextEvent(): { id: number; block: number } {
    this.#lastEvent ??= readLastEvent(this.#database);
    const id = ++this.#lastEvent;
    return { id, block: Math.floor(id / BLOCK_EVENTS) };
  }

  /** A lease that was extended since its row was written is only here. */
  #forgetIdle(): void {
    for (const [id, { holder }] of this.#states) if (holder === null) this.#states.delete(id);
  }
}

/** An id is never given twice while the index may know it, even when the last events were deleted. */
function readLastEvent(database: Database): number {
  const [last] = database.tuple<[number | null]>("select max(id) from event") ?? [];
  return Math.max(last ?? 0, readIndexed(database));
}

type LogRecord = {
  key: number;
  kind: LogKind;
  closed: number;
  epoch: number;
  holder: string | null;
  lease_until: number;
  snapshot_seq: number;
  rested: number;
};

function readState(database: Database, id: LogId): LogState | undefined {
  const log = database.get<LogRecord>(
    "select key, kind, closed, epoch, holder, lease_until, snapshot_seq, rested from log where id = ?",
    id,
  );
  if (!log) return undefined;
  return {
    key: log.key,
    id,
    kind: log.kind,
    ...readEnd(database, log.key),
    closed: log.closed === 1,
    epoch: log.epoch,
    holder: log.holder,
    leaseUntil: log.lease_until,
    savedLeaseUntil: log.lease_until,
    snapshotSeq: log.snapshot_seq,
    rested: log.rested === 1,
    drafting: new Set(),
  };
}

export type End = Pick<LogState, "seq" | "sub" | "reach" | "chain" | "block">;

/** The newest event of a log is always there: only a later fact sweeps drafts. */
export function readEnd(database: Database, key: number): End {
  const end = database.tuple<[number, number, number, number | null, number]>(
    `select seq, sub, reach, chain, block from event
      where log = ?1 and block = (select block from span where log = ?1 order by seq desc, sub desc limit 1)
      order by seq desc, sub desc limit 1`,
    key,
  );
  const [seq, sub, reach, chain, block] = end ?? [0, 0, 0, null, -1];
  return { seq, sub, reach, chain: sub === 0 ? chain : readChain(database, key, seq), block };
}

/** Drafts have none: it goes on from the fact in front of them. */
function readChain(database: Database, key: number, seq: number): number | null {
  const fact = database.tuple<[number | null]>(
    `select chain from event
      where log = ?1 and seq = ?2 and sub = 0 and block = (
        select block from span where log = ?1 and (seq, sub) <= (?2, 0) order by seq desc, sub desc limit 1)`,
    key,
    seq,
  );
  return fact?.[0] ?? null;
}
