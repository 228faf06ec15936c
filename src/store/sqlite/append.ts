import { formatPosition } from "../../session/position.ts";
import type { Batch } from "../batch.ts";
import { SNAPSHOT_FACTS, type Appended, type Command, type LogId, type Refused } from "../store.ts";
import { KEEPER_SCOPE, once } from "./command.ts";
import type { LogState } from "./logs.ts";
import { writeEvents } from "./write-events.ts";
import type { Writing } from "./writing.ts";

export type AppendCall = {
  log: LogId;
  batch: Batch;
  now: number;
  /** An executor's proof; each append also extends its lease. */
  lease?: { holder: string; epoch: number; ttlMs: number };
  key?: Command;
  expectSeq?: number;
  note?: unknown;
};

/** `due`: the log has grown enough for another snapshot. */
export type AppendReply = { appended: Appended; due?: true };

export function append(writing: Writing, call: AppendCall): AppendReply {
  const { log: id, batch, now, key } = call;
  let log: LogState | undefined;
  const appended = once<Appended>(
    writing,
    key,
    now,
    () => {
      log = writing.logs.find(id);
      const refused = refusal(writing, log, call);
      if (refused || !log) return refused ?? { ok: false, code: "not_found" };
      if (call.lease) extendLease(writing, log, now + call.lease.ttlMs, call.lease.ttlMs);
      if (log.rested && batch.facts > 0) rouse(writing, log);
      writeEvents(writing, log, batch, now);
      const position = formatPosition(log.seq, log.sub);
      return call.note === undefined ? { ok: true, position } : { ok: true, position, note: call.note };
    },
    () => (key?.scope === KEEPER_SCOPE ? log?.key : undefined),
  );
  const due = log && appended.ok && log.kind === "session" && log.seq - log.snapshotSeq >= SNAPSHOT_FACTS;
  return due ? { appended, due } : { appended };
}

export function refusal(
  { database }: Writing,
  log: LogState | undefined,
  call: Pick<AppendCall, "log" | "lease" | "expectSeq">,
): Refused | undefined {
  if (!log) return { ok: false, code: "not_found" };
  if (log.closed) return { ok: false, code: "ended", successor: successorOf() };
  // A late holder still counts until someone else claims.
  if (call.lease && (call.lease.epoch !== log.epoch || call.lease.holder !== log.holder))
    return { ok: false, code: "lease_lost" };
  if (call.expectSeq !== undefined && call.expectSeq !== log.seq)
    return { ok: false, code: "moved", position: formatPosition(log.seq, log.sub) };
  return undefined;

  function successorOf(): string | null {
    const row = database.get<{ successor: string | null }>(
      "select successor from session where id = ?",
      call.log,
    );
    return row?.successor ?? null;
  }
}

function rouse({ database }: Writing, log: LogState): void {
  log.rested = false;
  database.run("update log set rested = 0 where key = ?", log.key);
}

/** In memory each time, in the row now and then: only this process goes by it, and the next one begins anew. */
function extendLease({ database }: Writing, log: LogState, until: number, ttlMs: number): void {
  log.leaseUntil = until;
  if (until - log.savedLeaseUntil < ttlMs / 3) return;
  log.savedLeaseUntil = until;
  database.run("update log set lease_until = ? where key = ?", until, log.key);
}
