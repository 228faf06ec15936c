// The days that a period has, as the server counts them: in UTC.

/** How far back one can look, in days. */
export const RANGES = [7, 30, 90] as const;
export type Range = (typeof RANGES)[number];
export const USUAL_RANGE: Range = 30;

const DAY_MS = 24 * 60 * 60 * 1000;
const LABELS_MAX = 7;

export function parseRange(text: string | null): Range {
  return RANGES.find((range) => String(range) === text) ?? USUAL_RANGE;
}

/** Oldest first, today last. */
export function daysUntil(now: number, count: number): string[] {
  return Array.from({ length: count }, (_, n) => dayOf(now - (count - 1 - n) * DAY_MS));
}

export function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** 16 Nov */
export function dayWords(day: string): string {
  const date = new Date(`${day}T00:00:00Z`);
  return date.toLocaleDateString("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
}

/** So many that they stand beside each other on a phone, evenly, and today always. */
export function hasLabel(index: number, count: number): boolean {
  return (count - 1 - index) % Math.ceil(count / LABELS_MAX) === 0;
}
