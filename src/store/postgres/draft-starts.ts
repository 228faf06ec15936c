// Where each owner of drafts began, as far as this process wrote its start: no draft of it lies before, so that
// sweeping need not look there. What is not known here (another node wrote it) is looked for in the whole log.
import { attemptOf } from "../../session/draft.ts";
import type { NewEvent } from "../../session/event.ts";
import type { LogId } from "../store.ts";

const STARTS_MAX = 10_000;

export type Start = { owner: string; /** of its append, up to and including it */ facts: number };

export function startsIn(events: readonly NewEvent[]): Start[] {
  const starts: Start[] = [];
  let facts = 0;
  for (const event of events) {
    if (event.type !== "draft") facts += 1;
    if (event.type === "step_started")
      starts.push({ owner: attemptOf(event.data.step, event.data.attempt), facts });
    if (event.type === "tool_proposed") starts.push({ owner: event.data.call, facts });
  }
  return starts;
}

export class DraftStarts {
  #starts = new Map<string, number>();

  add(log: LogId, owner: string, seq: number): void {
    if (this.#starts.size >= STARTS_MAX)
      for (const oldest of this.#starts.keys().take(1)) this.#starts.delete(oldest);
    this.#starts.set(nameOf(log, owner), seq);
  }

  of(log: LogId, owner: string): number {
    return this.#starts.get(nameOf(log, owner)) ?? 0;
  }

  delete(log: LogId, owner: string): void {
    this.#starts.delete(nameOf(log, owner));
  }
}

function nameOf(log: LogId, owner: string): string {
  return `${log} ${owner}`;
}
