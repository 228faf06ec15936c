// The store's contract in memory: each verb at once and whole. test/contract/simulated.test.ts holds it against the real ones.
import { forkPoint, rowOf } from "../../src/session/fork.ts";
import { goneTimer } from "../../src/session/gone-delegate.ts";
import type { AnyEvent, By, NewEvent } from "../../src/session/event.ts";
import { formatPosition, isFactPosition, seqOf, START, type Position } from "../../src/session/position.ts";
import { changedRow, rowChange, statusOf, type RowState } from "../../src/session/row.ts";
import { emptyView, type View } from "../../src/session/view.ts";
import { followSuccession } from "../../src/store/fork-plan.ts";
import type {
  Appended,
  AppendOptions,
  BlobInfo,
  Claim,
  Claimed,
  Command,
  Created,
  Deleted,
  Lease,
  LogHead,
  LogId,
  LostSession,
  NewSession,
  NodeId,
  Origin,
  Refused,
  SessionRow,
  Succession,
  Writer,
} from "../../src/store/store.ts";
import { KeptResults } from "./kept-results.ts";
import { foldEvent, newLog, writeEvents, type Log } from "./memory-log.ts";
import { MemoryRows } from "./memory-rows.ts";

/** `root` is the one that a person deleted; the others worked for it. */
export type Deletion = { session: string; turn: boolean; root: boolean };

export type Held = { ok: true } | { ok: false; code: "lease_lost" };

export class MemoryStore {
  readonly rows = new MemoryRows();
  readonly deletions: Deletion[] = [];
  readonly logs = new Map<LogId, Log>();
  /** Called with each log that changed. */
  readonly listeners = new Set<(log: LogId) => void>();
  /** Who lost which log to another. */
  readonly takeovers: { log: LogId; from: NodeId }[] = [];
  /** Nodes that the store knows to be dead: their leases count no more. */
  readonly gone = new Set<NodeId>();
  readonly #now: () => number;
  readonly #results = new KeptResults();
  readonly #blobs = new Map<string, Buffer>();
  #latestMs = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  createSession({ id, first = [], ...data }: NewSession, author: By): Pick<Created, "ok"> {
    const { origin } = data;
    if (this.logs.has(id)) return { ok: false };
    if (origin?.kind === "delegation" && !this.logs.has(origin.session)) return { ok: false };
    const log = this.#add(id, origin ?? null);
    this.#write(log, [{ type: "session_created", data }, ...first], author);
    return { ok: true };
  }

  /** As far as anyone asks for it. */
  session(id: LogId): Pick<SessionRow, "id" | "head" | "origin" | "status"> | undefined {
    const log = this.logs.get(id);
    if (!log) return undefined;
    let head: Log | undefined = log;
    while (head?.row.successor != null) head = this.logs.get(head.row.successor);
    return { id, head: head?.id ?? id, origin: log.origin, status: statusOf(log.row) };
  }

  deleteSession(id: LogId, force: boolean, command: Command): Deleted {
    return this.#results.once(command, () => {
      const log = this.logs.get(id);
      if (!log) return { ok: false, code: "not_found" } as const;
      const family = this.#familyOf(log);
      const live = family.find(({ row, id: each }) => isLive(row) || this.rows.runningOf(each).length > 0);
      if (live && !force)
        return {
          ok: false,
          code: "live",
          status: statusOf(live.row),
          processes: this.rows.runningOf(live.id).length,
        } as const;
      if (log.origin?.kind === "delegation")
        this.rows.timers.set(goneTimer(id), {
          key: goneTimer(id),
          log: log.origin.session,
          dueAt: new Date(0).toISOString(),
        });
      for (const member of family) {
        this.deletions.push({ session: member.id, turn: member.row.turn !== null, root: member === log });
        this.rows.takeAway(member.id);
        this.#closeLine(member);
        this.logs.delete(member.id);
        this.#results.forget(member.id);
        this.#changed(member.id);
      }
      return { ok: true } as const;
    });
  }

  succeedSession(succession: Succession, author: By, command: Command): { ok: true } | Refused {
    const { from, id, at, view, reason } = succession;
    return this.#results.once(command, () => {
      const original = this.logs.get(from);
      if (!original) return { ok: false, code: "not_found" } as const;
      if (original.closed) return { ok: false, code: "ended", successor: original.row.successor } as const;
      if (original.seq !== seqOf(view.position))
        return { ok: false, code: "moved", position: formatPosition(original.seq, original.sub) } as const;
      const facts = this.events(from, formatPosition(0, 0), Infinity, "facts");
      const point = forkPoint(facts, at);
      if (point === START)
        return { ok: false, code: "moved", position: formatPosition(original.seq, original.sub) } as const;
      const copy = this.#add(id, original.origin);
      copy.stored.push(...original.stored.filter(({ position }) => position <= point)); // with the drafts of what broke off
      Object.assign(copy, { seq: seqOf(point), epoch: original.epoch });
      this.#write(copy, followSuccession(succession)(this.view(id) ?? emptyView(), point), author);
      copy.row = rowOf(this.view(id) ?? emptyView());
      this.rows.goOver(from, id);
      for (const { session } of view.delegates) {
        const delegate = this.logs.get(session);
        if (delegate?.origin?.session === from) delegate.origin = { ...delegate.origin, session: id };
      }
      this.#write(original, [{ type: "session_ended", data: { reason, successor: id } }], author);
      return { ok: true } as const;
    });
  }

  append(id: LogId, events: readonly NewEvent[], writer: Writer, options: AppendOptions = {}): Appended {
    const appended = this.#results.once(
      commandOf(writer),
      () => this.#append(id, events, writer, options),
      writer.by === "keeper" ? id : undefined,
    );
    return appended.ok && !appended.replayed ? { ...appended, at: this.#time() } : appended;
  }

  #append(id: LogId, events: readonly NewEvent[], writer: Writer, options: AppendOptions): Appended {
    const log = this.logs.get(id);
    if (!log) return { ok: false, code: "not_found" };
    if (log.closed) return { ok: false, code: "ended", successor: log.row.successor };
    if (writer.by === "executor" && !isHolder(log, writer.lease)) return { ok: false, code: "lease_lost" };
    if (options.expectSeq !== undefined && options.expectSeq !== log.seq)
      return { ok: false, code: "moved", position: formatPosition(log.seq, log.sub) };
    if (writer.by === "executor") this.#extend(log, writer.lease);
    else if (isLeftAlone(log)) log.waitsSince = this.#now();
    this.#write(log, events, authorOf(writer));
    const position = formatPosition(log.seq, log.sub);
    return options.note === undefined ? { ok: true, position } : { ok: true, position, note: options.note };
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
    log.waitsSince = this.#now();
    return {
      ok: true,
      lease: { log: id, holder: node, epoch: log.epoch, ttlMs },
      takeover,
      crash,
      atMs: this.#now(),
    };
  }

  claimSession(
    node: NodeId,
    ttlMs: number,
    longestWaitMs = Infinity,
    except: readonly LogId[] = [],
  ): Claim | undefined {
    this.#heedClock(ttlMs);
    const isDue = (retryAt: string) => {
      const inMs = Date.parse(retryAt) - this.#now();
      return inMs <= 0 || inMs > longestWaitMs;
    };
    const runnable = [...this.logs.values()]
      .filter((log) => canGoOn(log, isDue) && !except.includes(log.id))
      .toSorted((a, b) => this.#waitsSince(a) - this.#waitsSince(b));
    for (const { id } of runnable) {
      const claimed = this.claimLease(node, id, ttlMs);
      if (claimed.ok) {
        const { lease, takeover, crash, atMs } = claimed;
        return { lease, takeover, crash, atMs };
      }
    }
    return undefined;
  }

  /** One whose time to try again has come waits only from then on. */
  #waitsSince({ waitsSince, row: { retryAt } }: Log): number {
    const retryMs = retryAt === null ? 0 : Date.parse(retryAt);
    return retryMs <= this.#now() ? Math.max(waitsSince, retryMs) : waitsSince;
  }

  /** No lease lasts longer than one that is given now, whatever the clock showed before. */
  #heedClock(ttlMs: number): void {
    const now = this.#now();
    if (now < this.#latestMs)
      for (const log of this.logs.values()) log.leaseUntil = Math.min(log.leaseUntil, now + ttlMs);
    this.#latestMs = now;
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
    this.#extend(log, lease);
    return { ok: true };
  }

  releaseLease(lease: Lease, rested?: Position): Held {
    const log = this.#held(lease);
    if (!log) return { ok: false, code: "lease_lost" };
    log.holder = null;
    log.leaseUntil = 0;
    log.restedSeq = rested === undefined ? 0 : seqOf(rested);
    log.waitsSince = this.#now();
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

  #extend(log: Log, { ttlMs }: Lease): void {
    const now = this.#now();
    log.leaseUntil = now + ttlMs;
    this.#latestMs = Math.max(this.#latestMs, now);
  }

  #add(id: LogId, origin: Origin | null): Log {
    const log = newLog(id, origin, this.#now());
    this.logs.set(id, log);
    return log;
  }

  /** It and whoever works for it, directly or not. */
  #familyOf(log: Log): Log[] {
    const below = [...this.logs.values()].filter(
      ({ origin }) => origin?.kind === "delegation" && origin.session === log.id,
    );
    return [log, ...below.flatMap((child) => this.#familyOf(child))];
  }

  /** Whom it succeeded goes on in whoever succeeded it. */
  #closeLine({ id, row: { successor } }: Log): void {
    if (successor === null) return;
    for (const { row } of this.logs.values()) if (row.successor === id) row.successor = successor;
  }

  #changed(id: LogId): void {
    for (const listener of this.listeners) listener(id);
  }

  #held(lease: Lease): Log | undefined {
    const log = this.logs.get(lease.log);
    return log && isHolder(log, lease) ? log : undefined;
  }

  #time(): string {
    return new Date(this.#now()).toISOString();
  }

  #write(log: Log, events: readonly NewEvent[], by: By): void {
    const at = this.#time();
    writeEvents(log, events, at, by);
    const change = rowChange(events);
    if (change) log.row = changedRow(log.row, change);
    this.rows.follow(log.id, events, at, by);
    this.#changed(log.id);
  }
}

function isLive(row: RowState): boolean {
  return statusOf(row) !== "idle" && statusOf(row) !== "ended";
}

function canGoOn({ row, holder, seq, restedSeq, closed }: Log, isDue: (retryAt: string) => boolean): boolean {
  if (closed) return false;
  if (holder !== null) return true; // its executor may have gone without giving the lease back
  if (statusOf(row) === "idle") return false;
  return seq > restedSeq || (row.retryAt !== null && isDue(row.retryAt));
}

/** Nobody works on it, and there was nothing to do for anybody. */
function isLeftAlone({ row, holder, seq, restedSeq }: Log): boolean {
  return holder === null && (seq <= restedSeq || statusOf(row) === "idle");
}

function isHolder(log: Log, { holder, epoch }: Lease): boolean {
  return log.holder === holder && log.epoch === epoch;
}

function commandOf(writer: Writer): Command | undefined {
  if (writer.by === "keeper") return { scope: "keeper", key: writer.key, digest: "" };
  return writer.by === "client" ? writer.command : undefined;
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
