// Reading a log: block by block, since that is how its events are indexed.
import type { AnyEvent } from "../../session/event.ts";
import { formatPosition, type Position } from "../../session/position.ts";
import { checkedEvent } from "../event-text.ts";
import { placeOf } from "../place.ts";
import type { LogHead, LogId, LogKind } from "../store.ts";
import type { Database } from "./database.ts";
import { readEnd } from "./logs.ts";
import { blocksAfter, blocksBefore } from "./spans.ts";

export function readKey(database: Database, id: LogId): number | undefined {
  return database.tuple<[number]>("select key from log where id = ?", id)?.[0];
}

export function readHead(database: Database, id: LogId): LogHead | undefined {
  const log = database.get<{ key: number; kind: LogKind; closed: number }>(
    "select key, kind, closed from log where id = ?",
    id,
  );
  if (!log) return undefined;
  const { seq, sub } = readEnd(database, log.key);
  return { id, kind: log.kind, position: formatPosition(seq, sub), closed: log.closed === 1 };
}

export function readEvents(
  database: Database,
  id: LogId,
  after: Position,
  limit: number,
  only?: "facts",
): AnyEvent[] {
  const key = readKey(database, id);
  if (key === undefined) return [];
  const place = placeOf(after);
  const events: AnyEvent[] = [];
  for (const block of blocksAfter(database, key, place)) {
    const rows = database.tuples<EventTuple>(
      `select seq, sub, crc, text from event where block = ? and log = ? and (seq, sub) > (?, ?)
        ${only === "facts" ? "and sub = 0" : ""} order by seq, sub limit ?`,
      block,
      key,
      place.seq,
      place.sub,
      limit - events.length,
    );
    for (const [seq, sub, crc, text] of rows) events.push(checkedEvent(id, seq, sub, text, crc));
    if (events.length >= limit) break;
  }
  return events;
}

export function readEventsBefore(database: Database, id: LogId, before: Position, limit: number): AnyEvent[] {
  const key = readKey(database, id);
  if (key === undefined) return [];
  const place = placeOf(before);
  const facts: AnyEvent[] = [];
  for (const block of blocksBefore(database, key, place)) {
    const rows = database.tuples<EventTuple>(
      `select seq, sub, crc, text from event where block = ? and log = ? and (seq, sub) < (?, ?) and sub = 0
        order by seq desc, sub desc limit ?`,
      block,
      key,
      place.seq,
      place.sub,
      limit - facts.length,
    );
    for (const [seq, sub, crc, text] of rows) facts.push(checkedEvent(id, seq, sub, text, crc));
    if (facts.length >= limit) break;
  }
  return facts;
}

export function readDrafts(
  database: Database,
  id: LogId,
  after: Position,
  before: Position,
  limit: number,
): AnyEvent[] {
  const key = readKey(database, id);
  if (key === undefined) return [];
  const [from, to] = [placeOf(after), placeOf(before)];
  const drafts: AnyEvent[] = [];
  for (const block of blocksAfter(database, key, from, to)) {
    const rows = database.tuples<EventTuple>(
      `select seq, sub, crc, text from event
        where block = ? and log = ? and (seq, sub) > (?, ?) and (seq, sub) < (?, ?) and sub > 0
        order by seq, sub limit ?`,
      block,
      key,
      from.seq,
      from.sub,
      to.seq,
      to.sub,
      limit - drafts.length,
    );
    for (const [seq, sub, crc, text] of rows) drafts.push(checkedEvent(id, seq, sub, text, crc));
    if (drafts.length >= limit) break;
  }
  return drafts;
}

type EventTuple = [seq: number, sub: number, crc: number, text: string];
