// The fold that every face of Holdfast shares: pane, sidebar row, CLI and executor. It changes the view in place,
// touches only what the event names, and says what it touched. Deterministic: no clock, no chance, no I/O.
import { isDraft } from "./draft.ts";
import { applyDraft } from "./apply-draft.ts";
import { applyFact } from "./apply-fact.ts";
import type { AnyEvent, Draft, Fact } from "./event.ts";
import { seqOf, isFactPosition, type Position } from "./position.ts";
import { trim } from "./trim.ts";
import type { View } from "./view.ts";

export type Area =
  | "meta"
  | "turn"
  | "queue"
  | "asks"
  | "processes"
  | "delegates"
  | "usage"
  | "rules"
  | "compaction"
  | "ended";

export type Touched = {
  /** `skipped`: it was applied before. `gap`: something in front of it is missing; the view must be fetched anew. */
  outcome: "applied" | "skipped" | "gap";
  /** Ids of the rows that changed, came or (by the bound) went. */
  messages: readonly string[];
  /** When nothing but this part's text grew. */
  part?: string;
  areas: readonly Area[];
};

const NOTHING = { messages: [], areas: [] } as const;

export function apply(view: View, event: AnyEvent): Touched {
  if (event.position <= view.position) return { outcome: "skipped", ...NOTHING };
  if (!follows(view.position, event.position)) return { outcome: "gap", ...NOTHING };
  if (isDraft(event)) {
    const touched = applyDraft(view, event as Draft);
    if (touched.outcome !== "gap") view.position = event.position;
    return touched;
  }
  // A type that a newer version wrote falls through every case: kept in the log, skipped here.
  const changed = applyFact(view, event as Fact);
  view.position = event.position;
  const dropped = trim(view);
  return {
    outcome: "applied",
    messages: dropped.length === 0 ? changed.messages : [...changed.messages, ...dropped],
    areas: changed.areas,
  };
}

/** Facts are gapless; drafts follow the last fact, and some of them may have been swept. */
function follows(have: Position, next: Position): boolean {
  return seqOf(next) === seqOf(have) + (isFactPosition(next) ? 1 : 0);
}
