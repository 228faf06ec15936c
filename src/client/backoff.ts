// How long to wait before the next try: doubling up to a bound, and spread by chance so that a thousand readers of a
// restarted server do not come back in the same millisecond.

export type Backoff = { firstMs: number; mostMs: number };

/** `attempt` counts the failures so far, from 0; `chance` is in [0, 1). */
export function backoffMs({ firstMs, mostMs }: Backoff, attempt: number, chance: number): number {
  const bound = Math.min(mostMs, firstMs * 2 ** Math.min(attempt, 30));
  return Math.round(bound * (0.5 + chance / 2));
}
