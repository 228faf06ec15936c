// Where an event stands in its log: `<seq, 16 digits>_<sub, 16 digits>`. The fixed width makes string order
// log order, so positions compare with `<` everywhere, in SQL and in a browser too.

export type Position = string & { readonly brand: "position" };

const DIGITS = 16;
const ZEROS = "0".repeat(DIGITS);
const SHAPE = /^(\d{16})_(\d{16})$/;

/** Before the first event. */
export const START = formatPosition(0, 0);

export function formatPosition(seq: number, sub: number): Position {
  return `${pad(seq)}_${pad(sub)}` as Position; // the one place that makes one
}

/** Undefined when the text is not a position: callers at the edge turn that into an error. */
export function parsePosition(text: string): { seq: number; sub: number } | undefined {
  const match = SHAPE.exec(text);
  if (!match) return undefined;
  const seq = Number(match[1]);
  const sub = Number(match[2]);
  // 16 digits reach past 2^53; such a number was never handed out.
  return Number.isSafeInteger(seq) && Number.isSafeInteger(sub) ? { seq, sub } : undefined;
}

export function isPosition(text: string): text is Position {
  return parsePosition(text) !== undefined;
}

/** For positions that we made ourselves. */
export function seqOf(position: Position): number {
  return Number(position.slice(0, DIGITS));
}

/** The same of what it stands at behind its fact. */
export function subOf(position: Position): number {
  return Number(position.slice(DIGITS + 1));
}

/** A fact stands at sub 0; a draft follows it at 1, 2, 3 … */
export function isFactPosition(position: Position): boolean {
  return position.endsWith("_0000000000000000");
}

function pad(n: number): string {
  return n === 0 ? ZEROS : String(n).padStart(DIGITS, "0");
}
