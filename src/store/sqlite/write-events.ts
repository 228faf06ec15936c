// Writes a batch behind a log's last event, with all that follows from it in the same transaction: swept drafts, the
// session's row, its asks and processes, what was used, the log's end. The search index follows by itself.
import { formatPosition } from "../../session/position.ts";
import type { Entry } from "../batch.ts";
import { eventText } from "../event-text.ts";
import { changeAsk } from "./ask.ts";
import type { LogState } from "./logs.ts";
import type { PackedBatch } from "./packed-batch.ts";
import { chainOf } from "./page-slice.ts";
import { changeProcess } from "./process.ts";
import { markSwept } from "./sweep.ts";
import { countUsage } from "./usage.ts";
import type { Writing } from "./writing.ts";

export function writeEvents(writing: Writing, log: LogState, batch: PackedBatch): void {
  const [entries, row, sweeps, ends, successor, rows, usage] = batch;
  const { seq, sub } = log;
  for (const [facts, drafts, body, crc, owner, tally, author, search] of entries) {
    log.seq = seq + facts;
    log.sub = facts === 0 ? sub + drafts : drafts;
    if (owner !== null) noteDraft(writing, log, owner);
    const text = eventText(formatPosition(log.seq, log.sub), body);
    const id = insertEvent(writing, log, text, { crc, owner, tally, author });
    writing.index.note(id, log.kind === "session" ? search : null);
  }
  for (const owner of sweeps ?? []) markSwept(writing, log, owner);
  if (row && log.kind === "session") writing.database.run(row[0], ...row[1], log.key);
  for (const change of rows?.asks ?? []) changeAsk(writing, log, change);
  for (const change of rows?.processes ?? []) changeProcess(writing, log, change);
  for (const used of usage ?? []) countUsage(writing, log, used);
  if (successor !== null) joinLineage(writing, log, successor);
  if (ends) {
    log.closed = true;
    writing.database.run("update log set closed = 1 where key = ?", log.key);
  }
}

export type EventColumns = Pick<Entry, "owner" | "tally" | "author" | "crc">;

/** At the log's own position; gives the id under which search knows the event. */
export function insertEvent(
  { database, logs }: Writing,
  log: LogState,
  text: string,
  { owner, tally, author, crc }: EventColumns,
): number {
  const { id, block } = logs.nextEvent();
  if (block !== log.block) {
    log.block = block;
    database.run(
      "insert into span (log, seq, sub, block) values (?, ?, ?, ?)",
      log.key,
      log.seq,
      log.sub,
      block,
    );
  }
  log.reach += Buffer.byteLength(text);
  const isFact = log.sub === 0;
  if (isFact) log.chain = chainOf(text, log.chain);
  database.run(
    "insert into event (id, block, log, seq, sub, owner, tally, author, reach, crc, text, chain) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    id,
    block,
    log.key,
    log.seq,
    log.sub,
    owner,
    tally,
    author,
    log.reach,
    crc,
    text,
    isFact ? log.chain : null,
  );
  return id;
}

function noteDraft({ database }: Writing, log: LogState, owner: string): void {
  if (log.drafting.has(owner)) return;
  log.drafting.add(owner);
  database.run("insert or ignore into drafting (log, owner, seq) values (?, ?, ?)", log.key, owner, log.seq);
}

function joinLineage({ database }: Writing, { key }: LogState, successor: string): void {
  database.run(
    "update session set lineage = (select lineage from session where log = ?) where id = ? and lineage = id",
    key,
    successor,
  );
}
