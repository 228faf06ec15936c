// Counts what sessions used before that was counted with their appends: from their logs, once, one after the other and a
// slice at a time, since others have the store meanwhile. Whoever is killed in between begins with that session again.
import { setTimeout as delay } from "node:timers/promises";
import type { AnyEvent } from "../session/event.ts";
import { seqOf, START, type Position } from "../session/position.ts";
import { LoggedUsage, type UsageChange } from "../session/usage-changes.ts";
import { DamagedEvent } from "./store.ts";

const SLICE_FACTS = 100;
/** Rests so many times as long as it worked. */
const REST_TIMES = 2;

/** A session whose facts up to `seq` are not counted yet. */
export type UsageLeft = { session: string; seq: number };
export type UsageFilled = { session: string; changes: UsageChange[]; unpricedTokens: number };

export type UsageSource = {
  next: () => Promise<UsageLeft | undefined>;
  facts: (session: string, after: Position, limit: number) => Promise<AnyEvent[]>;
  fill: (filled: UsageFilled) => Promise<void>;
};

export async function fillAllUsage(source: UsageSource, signal: AbortSignal): Promise<void> {
  for (let left = await source.next(); left && !signal.aborted; left = await source.next()) {
    const logged = await loggedUsage(source, left, signal);
    if (logged) await source.fill({ session: left.session, ...logged });
  }
}

/** Undefined when it was told to stop. */
async function loggedUsage(
  { facts }: UsageSource,
  { session, seq }: UsageLeft,
  signal: AbortSignal,
): Promise<Omit<UsageFilled, "session"> | undefined> {
  const logged = new LoggedUsage();
  let after: Position = START;
  while (seqOf(after) < seq) {
    if (signal.aborted) return undefined;
    const from = performance.now();
    const slice = await readable(facts(session, after, SLICE_FACTS));
    for (const fact of slice) if (seqOf(fact.position) <= seq) logged.take(fact);
    const last = slice.at(-1);
    if (!last) break; // it was deleted meanwhile, or what follows is damaged: what is known counts
    after = last.position;
    await delay(REST_TIMES * (performance.now() - from), undefined, { signal, ref: false }).catch(() => {}); // it is to stop
  }
  return logged;
}

async function readable(events: Promise<AnyEvent[]>): Promise<AnyEvent[]> {
  return events.catch((error: unknown) => {
    if (error instanceof DamagedEvent) return [];
    throw error;
  });
}
