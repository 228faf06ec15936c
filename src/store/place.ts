// A position as the two numbers that databases compare.
import { parsePosition, type Position } from "../session/position.ts";

export type Place = { seq: number; sub: number };

/** A text that is no position stands behind every event. */
export function placeOf(position: Position): Place {
  return parsePosition(position) ?? { seq: Number.MAX_SAFE_INTEGER, sub: 0 };
}
