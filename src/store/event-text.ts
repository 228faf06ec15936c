// How an event lies in the store: its JSON text, beginning with the position at a fixed width. The checksum covers
// what follows the position, since only the database knows the position at the moment of writing; the position itself
// is checked against the row's own columns.
import { crc32 } from "node:zlib";
import type { AnyEvent, By, NewEvent } from "../session/event.ts";
import { formatPosition, type Position } from "../session/position.ts";
import { DamagedEvent, EVENT_MAX_BYTES, type LogId } from "./store.ts";

const HEAD = '{"position":"';
const HEAD_END = '",';
const POSITION_CHARS = 33;
/** Where the checksummed part begins, in characters and in bytes alike: all before it is ASCII. */
export const BODY_AT = HEAD.length + POSITION_CHARS + HEAD_END.length;

export type Body = { text: string; crc: number };

/** All of the event but its position. */
export function eventBody(event: NewEvent, at: string, by: By): Body {
  const text = JSON.stringify({ at, by, type: event.type, data: event.data }).slice(1);
  // A text within a third of the limit can't exceed it in UTF-8: most are not measured at all.
  if (text.length * 3 > EVENT_MAX_BYTES && Buffer.byteLength(text) > EVENT_MAX_BYTES)
    throw new RangeError(
      `a ${event.type} event has ${Buffer.byteLength(text)} bytes; at most ${EVENT_MAX_BYTES} are allowed: put its text into a blob`,
    );
  return { text, crc: crc32(text) };
}

export function eventText(position: Position, body: string): string {
  return HEAD + position + HEAD_END + body;
}

/** Parses a stored text, refusing one that is not what was written. */
export function checkedEvent(log: LogId, seq: number, sub: number, text: string, crc: number): AnyEvent {
  const position = formatPosition(seq, sub);
  if (!isIntact(position, text, crc)) throw new DamagedEvent(log, position);
  return JSON.parse(text) as AnyEvent; // our own writing, as the checksum says
}

export function isIntact(position: Position, text: string, crc: number): boolean {
  return text.startsWith(HEAD + position + HEAD_END) && crc32(text.slice(BODY_AT)) === crc;
}
