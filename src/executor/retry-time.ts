// When to try again after the provider failed for now: 2 s to 5 min with jitter, what it asked for honoured, for up to
// an hour of trying. While the server is down or the laptop asleep nobody tries: that must not cost the turn.
import type { ProviderFault } from "../driver/driver.ts";

export type RetryLimits = { firstMs: number; mostMs: number; totalMs: number };

export const USUAL_RETRY: RetryLimits = { firstMs: 2_000, mostMs: 300_000, totalMs: 3_600_000 };

export type Failure = {
  fault: ProviderFault;
  attempt: number;
  /** How long this attempt took. */
  tookMs: number;
  /** What the failures before it took of the time for trying; 0 when it is the first. */
  triedMs: number;
  now: number;
  chance: number;
  limits: RetryLimits;
};

/** `triedMs`: what this failure takes of the time for trying, the wait included. */
export type Retry = { at: number; triedMs: number };

/** Null: trying again can't help, or was tried long enough. */
export function nextRetry({ fault, attempt, tookMs, triedMs, now, chance, limits }: Failure): Retry | null {
  if (!passes(fault)) return null;
  const doubled = Math.min(limits.mostMs, limits.firstMs * 2 ** Math.min(attempt - 1, 20));
  const jittered = doubled * (0.75 + chance / 4);
  const waitMs = Math.round(Math.max(jittered, fault.retryAfterMs ?? 0));
  // The first attempt was no retry. Of a later one no more than a wait counts: it may have slept with the laptop.
  const retriedMs = triedMs === 0 ? 0 : Math.min(Math.max(tookMs, 0), limits.mostMs);
  const spentMs = retriedMs + waitMs;
  return triedMs + spentMs <= limits.totalMs ? { at: now + waitMs, triedMs: spentMs } : null;
}

function passes(fault: ProviderFault): boolean {
  switch (fault.class) {
    case "network":
    case "rate_limit":
    case "overloaded":
    case "cut":
    case "silent":
      return true;
    case "auth":
    case "unknown_model":
    case "context_too_long":
    case "refused":
    case "protocol":
      return false;
  }
}
