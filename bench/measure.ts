// How a row is measured: Holdfast and its baseline take turns, round by round, so that both meet the same noise of the
// machine; what counts is the ratio within each round, and of those the median.

import { setTimeout as delay } from "node:timers/promises";

export type Sample = { median: number; lowest: number; highest: number };

export type Target = { atLeast: number } | { atMost: number };

export type Finding = {
  what: string;
  /** Of `ours` and `baseline`: "/s", "ms", "MB". */
  unit: string;
  ours: Sample;
  /** Absent where the target is an absolute figure. */
  baseline: (Sample & { name: string }) | undefined;
  /** Ours to the baseline's, or ours alone. */
  measured: Sample;
  target: Target;
  reached: boolean;
  /** What else the run showed: tails, sizes, what was left out. */
  details: string[];
};

export type Row = {
  name: string;
  title: string;
  /** What the ratio says and what it does not. */
  reading: string;
  measure(run: Run): Promise<Finding[]>;
};

/** What a row may use; all that it opens is closed when the row is over, whatever happens. */
export type Run = {
  stack: AsyncDisposableStack;
  /** A new empty folder on the disk that is measured. */
  folder(): Promise<string>;
  /** The URL of an empty database on the run's PostgreSQL server, which is durable as it comes. */
  database(): Promise<string>;
  say(progress: string): void;
};

/** What one contender leaves behind (a connection that closes, a checkpoint) is not to be the next one's burden. */
const REST_MS = 20;

/** Runs the contenders one after the other, round after round; a first round warms up and is not counted. */
export async function takeTurns<Name extends string, Value = number>(
  rounds: number,
  contenders: Record<Name, () => Promise<Value>>,
): Promise<Record<Name, Value[]>> {
  const names = Object.keys(contenders) as Name[];
  const values = Object.fromEntries(names.map((name) => [name, [] as Value[]])) as Record<Name, Value[]>;
  for (let round = 0; round <= rounds; round++) {
    for (const name of names) {
      await delay(REST_MS);
      const value = await contenders[name]();
      if (round > 0) values[name].push(value);
    }
  }
  return values;
}

/**
 * The same for what takes a moment: within a round each takes its turn many times, so that what disturbs the machine
 * disturbs them alike, and after each of the others equally often. Gives the times of each round.
 */
export async function alternate<Name extends string>(
  rounds: number,
  times: number,
  contenders: Record<Name, () => Promise<number>>,
): Promise<Record<Name, number[][]>> {
  const names = Object.keys(contenders) as Name[];
  const values = Object.fromEntries(names.map((name) => [name, [] as number[][]])) as Record<
    Name,
    number[][]
  >;
  const orders = balancedOrders(names);
  let turns = 0;
  for (let round = 0; round <= rounds; round++) {
    const taken = new Map(names.map((name) => [name, [] as number[]]));
    for (let n = 0; n < times; n++)
      for (const name of orders[turns++ % orders.length] ?? [])
        taken.get(name)?.push(await contenders[name]());
    if (round > 0) for (const name of names) values[name].push(taken.get(name) ?? []);
  }
  return values;
}

/** Orders in which each follows each of the others equally often: what one leaves behind falls to no one alone. */
function balancedOrders<Name>(names: readonly Name[]): Name[][] {
  const count = names.length;
  const zigzag = names.map((_, n) => (n % 2 === 0 ? n / 2 : count - (n + 1) / 2)); // 0, last, 1, last but one …
  const orders = names.map((_, shift) => zigzag.map((n) => names[(n + shift) % count]!)); // `%` stays within
  return orders.flatMap((order) => [order, order.toReversed()]);
}

export function medians(rounds: readonly number[][]): number[] {
  return rounds.map((values) => quantile(values, 0.5));
}

export type Comparison = {
  what: string;
  unit: string;
  target: Target;
  ours: number[];
  baseline: number[];
  baselineName: string;
  details?: string[];
};

export function compare({ what, unit, target, ours, baseline, ...more }: Comparison): Finding {
  const measured = sampleOf(ours.map((value, round) => value / (baseline[round] ?? Number.NaN)));
  return {
    what,
    unit,
    target,
    ours: sampleOf(ours),
    baseline: { name: more.baselineName, ...sampleOf(baseline) },
    measured,
    reached: isReached(target, measured.median),
    details: more.details ?? [],
  };
}

/** For a target that is a figure of its own rather than a ratio. */
export function weigh({
  what,
  unit,
  target,
  ours,
  details = [],
}: Omit<Comparison, "baseline" | "baselineName">): Finding {
  const measured = sampleOf(ours);
  return {
    what,
    unit,
    target,
    ours: measured,
    baseline: undefined,
    measured,
    reached: isReached(target, measured.median),
    details,
  };
}

export function sampleOf(values: readonly number[]): Sample {
  return { median: quantile(values, 0.5), lowest: Math.min(...values), highest: Math.max(...values) };
}

export function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const value = sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))];
  if (value === undefined) throw new RangeError("nothing was measured");
  return value;
}

/** Of `work`, in milliseconds. */
export async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

function isReached(target: Target, value: number): boolean {
  return "atLeast" in target ? value >= target.atLeast : value <= target.atMost;
}
