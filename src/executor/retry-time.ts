// When to try again after the provider failed for now: 2 s to 5 min with jitter, what it asked for honoured, for up to
// an hour. Null: trying again can't help, or was tried long enough.
import type { ProviderFault } from "../driver/driver.ts";

export type RetryLimits = { firstMs: number; mostMs: number; totalMs: number };

export const USUAL_RETRY: RetryLimits = { firstMs: 2_000, mostMs: 300_000, totalMs: 3_600_000 };

export type Failure = {
  fault: ProviderFault;
  attempt: number;
  /** When the failures began, if this is not the first. */
  since: string | null;
  now: number;
  chance: number;
  limits: RetryLimits;
};

export function retryTime({ fault, attempt, since, now, chance, limits }: Failure): number | null {
  if (!passes(fault)) return null;
  const doubled = Math.min(limits.mostMs, limits.firstMs * 2 ** Math.min(attempt - 1, 20));
  const jittered = doubled * (0.75 + chance / 4);
  const at = now + Math.max(jittered, fault.retryAfterMs ?? 0);
  // Not from later than now: a clock that was set back must not make a wait longer than all of them together may take.
  const giveUpAt = Math.min(now, since === null ? now : Date.parse(since)) + limits.totalMs;
  return at <= giveUpAt ? Math.round(at) : null;
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
