// What a batch of events adds to what was used, by day and model: so that an append can count it in its own transaction,
// and nobody has to read logs to know what the agents cost.
import type { AnyEvent, NewEvent, NewFact, Usage } from "./event.ts";
import { unpricedTokens } from "./usage.ts";

export const DAY_MS = 86_400_000;

/** Calls of a model, and what they used. Cached tokens are among those that went in, reasoning among those that came out. */
export type UsageCount = {
  steps: number;
  inputTokens: number;
  cachedTokens: number;
  outputTokens: number;
  reasoningTokens: number;
  /** In US dollars, of those that had a price. */
  cost: number;
  unpricedSteps: number;
  unpricedTokens: number;
};

/** `day` is the day in UTC, counted from 1970; `model` is empty where nobody said which it was. */
export type UsageChange = UsageCount & { day: number; model: string };

export const NO_COUNT: UsageCount = {
  steps: 0,
  inputTokens: 0,
  cachedTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  cost: 0,
  unpricedSteps: 0,
  unpricedTokens: 0,
};

/** One for each day and model. */
export function usageChanges(events: readonly NewEvent[], at: string): UsageChange[] {
  let changes: UsageChange[] = NONE;
  for (const event of events) {
    const change = changeBy(event, at, "");
    if (change) changes = thenUsage(changes, [change]);
  }
  return changes;
}

/** The changes of two batches that are written as one. */
export function thenUsage(first: UsageChange[], second: UsageChange[]): UsageChange[] {
  if (first.length === 0) return second;
  if (second.length === 0) return first;
  const changes = [...first];
  for (const change of second) {
    const at = changes.findIndex(({ day, model }) => day === change.day && model === change.model);
    const before = changes[at];
    if (before) changes[at] = { ...change, ...sum(before, change) };
    else changes.push(change);
  }
  return changes;
}

/** What a whole log has used, for one that was written before this was counted with its appends. */
export class LoggedUsage {
  #model = "";
  changes: UsageChange[] = [];
  /** Of the session's own row, where what was brought in with it counts. */
  unpricedTokens = 0;

  take(event: AnyEvent): void {
    const fact = event as AnyEvent & NewFact; // what is none of ours falls through
    if (fact.type === "step_started") this.#model = fact.data.model;
    // What was copied was used by the one that it was copied from, and what was brought in was used elsewhere.
    if (fact.type === "session_forked" || fact.type === "session_imported") this.changes = [];
    if (fact.type === "session_forked") this.unpricedTokens = 0;
    const change = changeBy(fact, event.at, this.#model);
    if (!change) return;
    this.changes = thenUsage(this.changes, [change]);
    this.unpricedTokens += change.unpricedTokens;
  }
}

const NONE: UsageChange[] = [];

/** A summary is a call of the model as well, when one gave it. */
function changeBy(event: NewEvent, at: string, startedModel: string): UsageChange | undefined {
  if (event.type !== "step_completed" && event.type !== "context_compacted") return undefined;
  const { usage, model = startedModel } = event.data;
  if (event.type === "context_compacted" && !usage) return undefined;
  return { day: Math.floor(Date.parse(at) / DAY_MS), model, ...countOf(usage) };
}

function countOf(usage: Usage | undefined): UsageCount {
  return {
    steps: 1,
    inputTokens: usage?.inputTokens ?? 0,
    cachedTokens: usage?.cachedTokens ?? 0,
    outputTokens: usage?.outputTokens ?? 0,
    reasoningTokens: usage?.reasoningTokens ?? 0,
    cost: usage?.cost ?? 0,
    unpricedSteps: usage?.cost === undefined ? 1 : 0,
    unpricedTokens: usage ? unpricedTokens(usage) : 0,
  };
}

function sum(a: UsageCount, b: UsageCount): UsageCount {
  const added = { ...NO_COUNT };
  for (const name of Object.keys(NO_COUNT) as (keyof UsageCount)[]) added[name] = a[name] + b[name];
  return added;
}
