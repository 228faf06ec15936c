// How long the provider asks to be left alone.
import type { Report } from "./report.ts";

/** Beyond this it is no wait but a refusal in other words; the executor decides what to make of it. */
const MOST_MS = 24 * 60 * 60_000;

export function retryAfterMs({ headers, data }: Report, now: number): number | undefined {
  const wait =
    millis(Number(headers["retry-after-ms"] ?? NaN)) ??
    headerWait(headers["retry-after"], now) ??
    googleWait(data);
  return wait === undefined ? undefined : Math.min(wait, MOST_MS);
}

/** Seconds, perhaps with a fraction, or a date. */
function headerWait(header: string | undefined, now: number): number | undefined {
  if (header === undefined || header.trim() === "") return undefined;
  const seconds = Number(header);
  return Number.isNaN(seconds) ? millis(Math.max(0, Date.parse(header) - now)) : millis(seconds * 1000);
}

/** Google says it in the body: `details: [{"@type": "…RetryInfo", retryDelay: "34s"}]`. */
function googleWait(data: Record<string, unknown>): number | undefined {
  const details = Array.isArray(data["details"]) ? (data["details"] as unknown[]) : [];
  for (const detail of details) {
    const delay = (detail as { retryDelay?: unknown } | null)?.retryDelay;
    const [, seconds] = (typeof delay === "string" && /^([\d.]+)s$/.exec(delay)) || [];
    if (seconds !== undefined) return millis(Number(seconds) * 1000);
  }
  return undefined;
}

function millis(ms: number): number | undefined {
  return Number.isFinite(ms) && ms >= 0 ? Math.round(ms) : undefined;
}
