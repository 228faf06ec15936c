// The store's contract in memory: each verb at once and whole. test/contract/simulated.test.ts holds it against the real ones.
import { apply } from "../../src/session/apply.ts";
import { isDraft, ownerOf, sweptBy } from "../../src/session/draft.ts";
import type { AnyEvent, By, NewEvent } from "../../src/session/event.ts";
import { formatPosition, isFactPosition, seqOf, type Position } from "../../src/session/position.ts";
import { changedRow, EMPTY_ROW, rowChange, statusOf, type RowState } from "../../src/session/row.ts";
import { emptyView, type View } from "../../src/session/view.ts";
import type {
  Appended,
  AppendOptions,
  BlobInfo,
  Claim,
  Claimed,
  Created,
  Lease,
  LogHead,
  LogId,
  LostSession,
  NewSession,
  NodeId,
  Writer,
} from "../../src/store/store.ts";

export type Log = {
  readonly id: LogId;
  readonly stored: Stored[];
  seq: number;
  sub: number;
  epoch: number;
  holder: NodeId | null;
  leaseUntil: number;
  /** Up to which fact nothing was left to do when the lease was last given back. */
  restedSeq: number;
  closed: boolean;
  row: RowState;
  updatedAt: number;
};

/** As its text, so that each reader gets its own copy. */
type Stored = { position: Position; seq: number; owner: string | null; text: string };

export type Held = { ok: true } | { ok: false; code: "lease_lost" };

export class MemoryStore {
  readonly logs = new Map<LogId, Log>();
  /** Called with each log that changed. */
  readonly listeners = new Set<(log: LogId) => void>();
  /** Who lost which log to another. */
  readonly takeovers: { log: LogId; from: NodeId }[] = [];
  /** Nodes that the store knows to be dead: their leases count no more. */
  readonly gone = new Set<NodeId>();
  readonly #now: () => number;
  readonly #results = new Map<string, { digest: string; result: Appended }>();
  readonly #blobs = new Map<string, Buffer>();

  constructor(now: () => number) {
    this.#now = now;
  }

  createSession({ id, first = [], ...data }: NewSession, author: By): Pick<Created, "ok"> {
    if (this.logs.has(id)) return { ok: false };
    const log: Log = {
      id,
      stored: [],
      seq: 0,
      sub: 0,
      epoch: 0,
      holder: null,
      leaseUntil: 0,
      restedSeq: 0,
      closed: false,
      row: { ...EMPTY_ROW },
      updatedAt: this.#now(),
    };
    this.logs.set(id, log);
    this.#write(log, [{ type: "session_created", data }, ...first], author);
    return { ok: true };
  }

  append(id: LogId, events: readonly NewEvent[], writer: Writer, options: AppendOptions = {}): Appended {
    const key = keyOf(writer);
    const kept = key && this.#results.get(key.name);
    if (kept)
      return kept.digest === key.digest
        ? { ...(kept.result as Appended & { ok: true }), replayed: true } // only what succeeded is kept
        : { ok: false, code: "key_reused" };
    const log = this.logs.get(id);
    if (!log) return { ok: false, code: "not_found" };
    if (log.closed) return { ok: false, code: "ended", successor: log.row.successor };
    if (writer.by === "executor" && !isHolder(log, writer.lease)) return { ok: false, code: "lease_lost" };
    if (options.expectSeq !== undefined && options.expectSeq !== log.seq)
      return { ok: false, code: "moved", position: formatPosition(log.seq, log.sub) };
    if (writer.by === "executor") log.leaseUntil = this.#now() + writer.lease.ttlMs;
    this.#write(log, events, authorOf(writer));
    const position = formatPosition(log.seq, log.sub);
    const result: Appended =
      options.note === undefined ? { ok: true, position } : { ok: true, position, note: options.note };
    if (key) this.#results.set(key.name, { digest: key.digest, result });
    return result;
  }

  head(id: LogId): LogHead | undefined {
    const log = this.logs.get(id);
    const { seq, sub, closed } = log ?? { seq: 0, sub: 0, closed: false };
    return log && { id, kind: "session", position: formatPosition(seq, sub), closed };
  }

  events(id: LogId, after: Position, limit: number, only?: "facts"): AnyEvent[] {
    const stored = this.logs.get(id)?.stored ?? [];
    let from = stored.length;
    while (from > 0 && stored[from - 1]!.position > after) from -= 1;
    return stored
      .slice(from)
      .filter(({ position }) => only === undefined || isFactPosition(position))
      .slice(0, limit)
      .map(({ text }) => JSON.parse(text) as AnyEvent); // our own writing
  }

  view(id: LogId): View | undefined {
    const log = this.logs.get(id);
    if (!log) return undefined;
    const view = emptyView();
    for (const { text } of log.stored) foldEvent(view, JSON.parse(text) as AnyEvent);
    return view;
  }

  claimLease(node: NodeId, id: LogId, ttlMs: number): Claimed {
    const log = this.logs.get(id);
    if (!log) return { ok: false, code: "not_found" };
    if (log.closed) return { ok: false, code: "ended" };
    if (log.holder !== null && log.leaseUntil > this.#now() && !this.gone.has(log.holder))
      return { ok: false, code: "held" };
    const takeover = log.holder !== null;
    const crash = takeover && log.holder !== node;
    if (log.holder !== null) this.takeovers.push({ log: id, from: log.holder });
    log.epoch += 1;
    log.holder = node;
    log.leaseUntil = this.#now() + ttlMs;
    return {
      ok: true,
      lease: { log: id, holder: node, epoch: log.epoch, ttlMs },
      takeover,
      crash,
      atMs: this.#now(),
    };
  }

  claimSession(node: NodeId, ttlMs: number): Claim | undefined {
    const now = new Date(this.#now()).toISOString();
    const runnable = [...this.logs.values()]
      .filter((log) => canGoOn(log, now))
      .toSorted((a, b) => rank(a) - rank(b) || a.updatedAt - b.updatedAt);
    for (const { id } of runnable) {
      const claimed = this.claimLease(node, id, ttlMs);
      if (claimed.ok) {
        const { lease, takeover, crash, atMs } = claimed;
        return { lease, takeover, crash, atMs };
      }
    }
    return undefined;
  }

  lostSessions(limit: number): LostSession[] {
    return [...this.logs.values()]
      .filter(
        ({ holder, closed, row }) =>
          holder !== null && this.gone.has(holder) && !closed && row.turn !== null && !row.recovering,
      )
      .slice(0, limit)
      .map(({ id, epoch, seq }) => ({ session: id, epoch, seq }));
  }

  renewLease(lease: Lease): Held {
    const log = this.#held(lease);
    if (!log) return { ok: false, code: "lease_lost" };
    log.leaseUntil = this.#now() + lease.ttlMs;
    return { ok: true };
  }

  releaseLease(lease: Lease, rested?: Position): Held {
    const log = this.#held(lease);
    if (!log) return { ok: false, code: "lease_lost" };
    log.holder = null;
    log.leaseUntil = 0;
    log.restedSeq = rested === undefined ? 0 : seqOf(rested);
    return { ok: true };
  }

  putBlob(bytes: Uint8Array): BlobInfo {
    const blob = `blob_${this.#blobs.size + 1}`;
    this.#blobs.set(blob, Buffer.from(bytes));
    return { blob, bytes: bytes.byteLength };
  }

  blob(id: string): Buffer | undefined {
    return this.#blobs.get(id);
  }

  #held(lease: Lease): Log | undefined {
    const log = this.logs.get(lease.log);
    return log && isHolder(log, lease) ? log : undefined;
  }

  #write(log: Log, events: readonly NewEvent[], by: By): void {
    if (events.length === 0) throw new RangeError("an append needs at least one event");
    const at = new Date(this.#now()).toISOString();
    const sweeps = new Set<string>();
    for (const event of events) {
      if (isDraft(event)) log.sub += 1;
      else Object.assign(log, { seq: log.seq + 1, sub: 0 });
      const position = formatPosition(log.seq, log.sub);
      const owner = isDraft(event) ? ownerOf(event.data.part) : null;
      log.stored.push({
        position,
        seq: log.seq,
        owner,
        text: JSON.stringify({ position, at, by, ...event }),
      });
      const swept = sweptBy(event);
      if (swept !== undefined) sweeps.add(swept);
      if (event.type === "session_ended") log.closed = true;
    }
    const kept = log.stored.filter(
      ({ owner, seq }) => owner === null || !sweeps.has(owner) || seq === log.seq, // the newest stays
    );
    if (kept.length < log.stored.length) log.stored.splice(0, log.stored.length, ...kept);
    const change = rowChange(events);
    if (change) log.row = changedRow(log.row, change);
    if (change?.moves) log.updatedAt = this.#now();
    for (const listener of this.listeners) listener(log.id);
  }
}

function canGoOn({ row, holder, seq, restedSeq, closed }: Log, now: string): boolean {
  if (closed) return false;
  if (holder !== null) return true; // its executor may have gone without giving the lease back
  if (statusOf(row) === "idle") return false;
  return seq > restedSeq || (row.retryAt !== null && row.retryAt <= now);
}

function rank({ holder }: Log): number {
  return holder === null ? 0 : 1;
}

function isHolder(log: Log, { holder, epoch }: Lease): boolean {
  return log.holder === holder && log.epoch === epoch;
}

function keyOf(writer: Writer): { name: string; digest: string } | undefined {
  if (writer.by === "keeper") return { name: `keeper ${writer.key}`, digest: "" };
  if (writer.by !== "client" || !writer.command) return undefined;
  const { scope, key, digest } = writer.command;
  return { name: `client ${scope} ${key}`, digest };
}

function authorOf(writer: Writer): By {
  switch (writer.by) {
    case "client":
      return writer.author;
    case "executor":
      return { executor: writer.lease.holder, epoch: writer.lease.epoch };
    case "keeper":
      return { keeper: writer.keeper };
  }
}

export function foldEvent(view: View, event: AnyEvent): void {
  if (apply(view, event).outcome !== "gap") return;
  if (isFactPosition(event.position)) throw new Error(`the fact before ${event.position} is missing`);
  view.position = event.position; // of a draft whose part has a hole nothing is seen, but what follows counts from here
}
