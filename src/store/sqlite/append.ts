import { formatPosition, type Position } from "../../session/position.ts";
import { SNAPSHOT_FACTS, type Appended, type Command, type LogId, type Refused } from "../store.ts";
import { KEEPER_SCOPE, once } from "./command.ts";
import { beginWait } from "./lease.ts";
import type { LogState } from "./logs.ts";
import type { PackedBatch } from "./packed-batch.ts";
import { writeEvents } from "./write-events.ts";
import type { Writing } from "./writing.ts";

/** An executor's proof; each append also extends its lease. */
export type Proof = [holder: string, epoch: number, ttlMs: number];

/** What only few appends have. */
export type Terms = { key?: Command; expectSeq?: number; note?: unknown };

/** Most are plain successes, of which only the position is told. `due`: the log calls for another snapshot. */
export type AppendReply = Position | { appended: Appended; due?: true };

export function append(
  writing: Writing,
  id: LogId,
  batch: PackedBatch,
  now: number,
  proof: Proof | null,
  terms: Terms | null,
): AppendReply {
  const key = terms?.key;
  let log: LogState | undefined;
  const appended = once<Appended>(
    writing,
    key,
    now,
    () => {
      log = writing.logs.find(id);
      if (!log) return { ok: false, code: "not_found" };
      const refused = refusal(writing, log, proof, terms?.expectSeq);
      if (refused) return refused;
      if (proof) extendLease(writing, log, now, proof[2]);
      const before = log.seq;
      const couldNotGoOn = !proof && isLeftAlone(writing, log);
      writeEvents(writing, log, batch);
      if (log.seq > before) {
        if (log.rested) rouse(writing, log);
        if (couldNotGoOn) beginWait(writing, log, now);
      }
      const position = formatPosition(log.seq, log.sub);
      return terms?.note === undefined ? { ok: true, position } : { ok: true, position, note: terms.note };
    },
    () => (key?.scope === KEEPER_SCOPE ? log?.key : undefined),
  );
  const due = log && appended.ok && log.kind === "session" && log.seq - log.snapshotSeq >= SNAPSHOT_FACTS;
  if (due) return { appended, due };
  return terms === null && appended.ok ? appended.position : { appended };
}

export function refusal(
  { database }: Writing,
  log: LogState,
  proof: Proof | null,
  expectSeq: number | undefined,
): Refused | undefined {
  if (log.closed) return { ok: false, code: "ended", successor: successorOf() };
  // A late holder still counts until someone else claims.
  if (proof && (proof[0] !== log.holder || proof[1] !== log.epoch)) return { ok: false, code: "lease_lost" };
  if (expectSeq !== undefined && expectSeq !== log.seq)
    return { ok: false, code: "moved", position: formatPosition(log.seq, log.sub) };
  return undefined;

  function successorOf(): string | null {
    const row = database.get<{ successor: string | null }>(
      "select successor from session where log = ?",
      log.key,
    );
    return row?.successor ?? null;
  }
}

function rouse({ database }: Writing, log: LogState): void {
  log.rested = false;
  database.run("update log set rested = 0 where key = ?", log.key);
}

/** Nobody works on it, and there was nothing to do for anybody: from here on there may be. */
function isLeftAlone({ database }: Writing, { key, kind, holder, rested }: LogState): boolean {
  if (kind !== "session" || holder !== null) return false;
  return (
    rested || database.tuple("select 1 from session where log = ? and status = 'idle'", key) !== undefined
  );
}

/** In memory each time, in the row now and then: only this process goes by it, and the next one begins anew. */
function extendLease({ database, logs }: Writing, log: LogState, now: number, ttlMs: number): void {
  logs.leased(now);
  const until = now + ttlMs;
  log.leaseUntil = until;
  if (until - log.savedLeaseUntil < ttlMs / 3) return;
  log.savedLeaseUntil = until;
  database.run("update log set lease_until = ? where key = ?", until, log.key);
}
