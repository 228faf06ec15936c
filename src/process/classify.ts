// Whether a process works, waits, serves or was forgotten, judged from samples of its whole tree. Pure.

export type ProcessClass = "working" | "waiting" | "service" | "stale";

export type Sample = {
  atMs: number;
  /** Used by the tree since it began. */
  cpuMs: number;
  outputBytes: number;
  ports: readonly number[];
  memoryBytes: number;
};

/** What is remembered of a process between samples. */
export type Activity = {
  /** Of the last minute, with the one before it to measure from; oldest first. */
  samples: readonly Sample[];
  lastOutputAtMs: number | null;
  /** When it last used the processor or said something. */
  lastBusyAtMs: number;
};

export type Judgement = { class: ProcessClass; why: string; cpu: number | null };

export const SAMPLE_EVERY_MS = 5_000;
const MINUTE_MS = 60_000;
const OUTPUT_COUNTS_MS = 5 * MINUTE_MS;
const WORKING_SHARE = 0.01;
const SERVICE_SHARE_MAX = 0.05;

/** What is known before the first sample, from the process's files. */
export function newActivity(startedAtMs: number, lastOutputAtMs: number | null): Activity {
  return { samples: [], lastOutputAtMs, lastBusyAtMs: lastOutputAtMs ?? startedAtMs };
}

export function observe(activity: Activity, sample: Sample): Activity {
  const previous = activity.samples.at(-1);
  const samples = lastMinute([...activity.samples, sample]);
  const grew = previous !== undefined && sample.outputBytes > previous.outputBytes;
  const busy = grew || (cpuShare(samples) ?? 0) >= WORKING_SHARE;
  return {
    samples,
    lastOutputAtMs: grew ? sample.atMs : activity.lastOutputAtMs,
    lastBusyAtMs: busy ? sample.atMs : activity.lastBusyAtMs,
  };
}

export function classify(activity: Activity, nowMs: number, quietMs: number): Judgement {
  const share = cpuShare(activity.samples);
  const last = activity.samples.at(-1);
  if (share === null || last === undefined) return { class: "waiting", why: "not yet measured", cpu: null };
  const used = `${percent(share)} of a core over the last minute`;
  if (last.ports.length > 0 && share < SERVICE_SHARE_MAX)
    return { class: "service", why: `listens on ${last.ports.join(", ")} and used ${used}`, cpu: share };
  if (share >= WORKING_SHARE) return { class: "working", why: `used ${used}`, cpu: share };
  const silent = nowMs - (activity.lastOutputAtMs ?? -Infinity);
  if (silent < OUTPUT_COUNTS_MS) return { class: "working", why: `last output ${ago(silent)}`, cpu: share };
  const quiet = nowMs - activity.lastBusyAtMs;
  return { class: quiet < quietMs ? "waiting" : "stale", why: `last busy ${ago(quiet)}`, cpu: share };
}

/** Null until two samples can be compared. What an orphan had used goes with it, so a fall counts as nothing used. */
function cpuShare(samples: readonly Sample[]): number | null {
  const [first, last] = [samples[0], samples.at(-1)];
  if (first === undefined || last === undefined || last.atMs <= first.atMs) return null;
  let usedMs = 0;
  for (const [i, { cpuMs }] of samples.entries())
    usedMs += Math.max(0, cpuMs - (samples[i - 1]?.cpuMs ?? cpuMs));
  return usedMs / (last.atMs - first.atMs);
}

function lastMinute(samples: readonly Sample[]): Sample[] {
  const newest = samples.at(-1)?.atMs ?? 0;
  const inside = samples.findIndex(({ atMs }) => atMs > newest - MINUTE_MS);
  return samples.slice(Math.max(0, inside - 1));
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

function ago(ms: number): string {
  const minutes = Math.floor(ms / MINUTE_MS);
  return minutes < 1 ? "less than a minute ago" : minutes === 1 ? "a minute ago" : `${minutes} minutes ago`;
}
