// Appends that go to the database as one entry of a statement: alone, or several of one log that share their proof
// and so are admitted or refused together.
import { formatPosition, type Position } from "../../session/position.ts";
import { followedBy } from "../../session/asks.ts";
import { thenProcesses } from "../../session/processes.ts";
import { thenUsage } from "../../session/usage-changes.ts";
import type { RowChange } from "../../session/row.ts";
import type { Batch, Entry } from "../batch.ts";
import type { Appended, LogId, Writer } from "../store.ts";
import type { Start } from "./draft-starts.ts";

/** One caller's append, waiting. */
export type Waiting = {
  log: LogId;
  batch: Batch;
  at: number;
  /** The same as the events say it. */
  time: string;
  writer: Writer;
  expectSeq: number | undefined;
  key: Key | undefined;
  note: unknown;
  starts: Start[];
  /** How often it was refused for a reason that was gone when we looked. */
  retries: number;
  resolve: (appended: Appended) => void;
  reject: (error: unknown) => void;
};

export type Key = { scope: string; key: string; digest: string; note: string | null };

export type Group = {
  log: LogId;
  writer: Writer;
  expectSeq: number | undefined;
  key: Key | undefined;
  batch: Batch;
  at: number;
  members: Waiting[];
};

export function groupOf(waiting: Waiting): Group {
  const { log, writer, expectSeq, key, batch, at } = waiting;
  return { log, writer, expectSeq, key, batch: withoutSwept(batch), at, members: [waiting] };
}

/** Undefined when the two must be judged apart. */
export function joined(group: Group, next: Waiting): Group | undefined {
  const joins =
    sameProof(group.writer, next.writer) &&
    !group.key &&
    !next.key &&
    group.expectSeq === undefined &&
    next.expectSeq === undefined &&
    !group.batch.ends &&
    // Else the fact would sweep drafts that its own statement can't see yet.
    (group.batch.entries.every(({ owner }) => owner === null) || next.batch.facts === 0);
  if (!joins) return undefined;
  return {
    ...group,
    batch: following(group.batch, withoutSwept(next.batch)),
    at: next.at,
    members: [...group.members, next],
  };
}

/** Where each member's last event stands, given where the log stood before the group. */
export function positionsIn(group: Group, seq: number, sub: number): Position[] {
  let facts = 0;
  let drafts = 0;
  return group.members.map(({ batch }) => {
    drafts = batch.facts === 0 ? drafts + batch.drafts : batch.drafts;
    facts += batch.facts;
    return formatPosition(seq + facts, facts === 0 ? sub + drafts : drafts);
  });
}

/** A draft in front of a fact of the same batch stands where only the log's own `sub` can tell. */
export function needsOldSub({ entries, facts }: Batch): boolean {
  return facts > 0 && entries[0]?.facts === 0;
}

function sameProof(a: Writer, b: Writer): boolean {
  if (a.by === "executor" && b.by === "executor")
    return (
      a.lease.epoch === b.lease.epoch && a.lease.holder === b.lease.holder && a.lease.ttlMs === b.lease.ttlMs
    );
  return a.by === "client" && b.by === "client";
}

function following(first: Batch, second: Batch): Batch {
  const entries = second.entries.map((entry): Entry => ({
    ...entry,
    facts: first.facts + entry.facts,
    drafts: entry.facts === 0 ? first.drafts + entry.drafts : entry.drafts,
  }));
  return {
    entries: [...first.entries, ...entries],
    facts: first.facts + second.facts,
    drafts: second.facts === 0 ? first.drafts + second.drafts : second.drafts,
    change: bothChanges(first.change, second.change),
    asks: followedBy(first.asks, second.asks),
    processes: thenProcesses(first.processes, second.processes),
    usage: thenUsage(first.usage, second.usage),
    sweeps: [...first.sweeps, ...second.sweeps],
    ends: second.ends,
  };
}

function bothChanges(a: RowChange | undefined, b: RowChange | undefined): RowChange | undefined {
  if (!a || !b) return a ?? b;
  const add = { ...a.add };
  for (const [counter, n] of Object.entries(b.add) as [keyof RowChange["add"], number][])
    add[counter] = (add[counter] ?? 0) + n;
  return { set: { ...a.set, ...b.set }, add, moves: a.moves || b.moves };
}

/** Drafts whose fact comes with them are never written: it is as if they had been swept already. */
function withoutSwept(batch: Batch): Batch {
  if (batch.sweeps.length === 0 || batch.entries.every(({ owner }) => owner === null)) return batch;
  const swept = new Set(batch.sweeps);
  return { ...batch, entries: batch.entries.filter(({ owner }) => owner === null || !swept.has(owner)) };
}
