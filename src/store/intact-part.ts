// Events that a database has joined by commas, each held against its checksum.
import { crc32 } from "node:zlib";
import type { Position } from "../session/position.ts";
import { BODY_AT } from "./event-text.ts";

export type IntactPart = { bytes: Buffer; count: number; last: Position };

/** What stands in front of the first damaged event. */
export function intactPart(bytes: Buffer, crcs: readonly number[], lengths: readonly number[]): IntactPart {
  let [start, end, count] = [0, 0, 0];
  for (const length of lengths) {
    const next = count === 0 ? 0 : end + 1; // a comma parts them
    if (crc32(bytes.subarray(next + BODY_AT, next + length)) !== crcs[count]) break;
    start = next;
    end = next + length;
    count += 1;
  }
  return { bytes: bytes.subarray(0, end), count, last: positionIn(bytes, start) };
}

/** `{"position":"` is 13 characters, a position 33. */
function positionIn(bytes: Buffer, event: number): Position {
  return bytes.toString("latin1", event + 13, event + 46) as Position; // our own writing
}
