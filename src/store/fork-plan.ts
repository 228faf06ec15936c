// What a copy of a session consists of, decided from the original's log: how many of its facts, and what follows them.
import { apply } from "../session/apply.ts";
import type { AnyEvent, By, NewFact } from "../session/event.ts";
import { forkPoint, mendFork, rowOf } from "../session/fork.ts";
import { formatPosition, seqOf, START, type Position } from "../session/position.ts";
import type { RowState } from "../session/row.ts";
import { successorFacts } from "../session/succeed.ts";
import type { View } from "../session/view.ts";
import { foldView, type ReadEvents } from "./fold.ts";
import type { LogId, Snapshot, Succession } from "./store.ts";

const SPAN_FACTS = 500;

export type ForkPlan = {
  /** The last fact that is copied. */
  point: Position;
  /** What follows the copied facts. */
  facts: NewFact[];
  row: RowState;
};

export type ForkSource = {
  log: LogId;
  read: ReadEvents;
  /** Facts in front of a position, newest first. */
  readBefore: (before: Position, limit: number) => Promise<AnyEvent[]>;
  snapshot: Snapshot | undefined;
};

/** What follows the copied facts, given the copy as it stands there. */
export type Following = (copy: View, point: Position) => NewFact[];

export function followFork(from: LogId): Following {
  return (copy, point) => [{ type: "session_forked", data: { from, at: point } }, ...mendFork(copy)];
}

export function followSuccession({ from, view, first }: Succession): Following {
  return (copy, point) => successorFacts(from, point, copy, view, first);
}

/** Undefined when there is nothing whole in front of `at`. */
export async function planFork(
  source: ForkSource,
  at: Position,
  following: Following,
  time: string,
  by: By,
): Promise<ForkPlan | undefined> {
  const point = forkPoint(await factsSinceRest(source, at), at);
  if (point === START) return undefined;
  const from = source.snapshot && source.snapshot.position <= point ? source.snapshot : undefined;
  const view = await foldView({ log: source.log, read: source.read, from, to: point });
  const facts = following(view, point);
  facts.forEach((fact, n) => {
    apply(view, { position: formatPosition(seqOf(point) + 1 + n, 0), at: time, by, ...fact });
  });
  return { point, facts, row: rowOf(view) };
}

/** The facts up to `at`, oldest first, beginning where nothing was open. */
async function factsSinceRest(source: ForkSource, at: Position): Promise<AnyEvent[]> {
  const facts: AnyEvent[] = [];
  // Exclusive, so the fact at `at` itself has to lie in front of it.
  let before = formatPosition(seqOf(at) + 1, 0);
  while (true) {
    const span = await source.readBefore(before, SPAN_FACTS);
    for (const fact of span) {
      facts.push(fact);
      before = fact.position;
      if (fact.type === "turn_ended") return facts.reverse();
    }
    if (span.length < SPAN_FACTS) return facts.reverse();
  }
}
