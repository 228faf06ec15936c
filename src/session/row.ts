// What a batch of events does to its session's row (the index that lists, badges and filters read), as sets and
// increments: so that one SQL statement can carry it without reading the row first.
import type { NewEvent, Usage } from "./event.ts";
import { unpricedTokens } from "./usage.ts";

export type Status = "idle" | "queued" | "running" | "waiting" | "recovering" | "ended";

/** The part of a row that facts determine. `status` is derived from it, here and as a generated column alike. */
export type RowState = {
  title: string | null;
  model: string | null;
  turn: string | null;
  retryAt: string | null;
  recovering: boolean;
  held: boolean;
  failed: boolean;
  ended: boolean;
  successor: string | null;
  messages: number;
  tools: number;
  queued: number;
  approvals: number;
  questions: number;
  inputTokens: number;
  outputTokens: number;
  cost: number;
  /** Those that are not in the cost. */
  unpricedTokens: number;
};

type Counters =
  | "messages"
  | "tools"
  | "queued"
  | "approvals"
  | "questions"
  | "inputTokens"
  | "outputTokens"
  | "cost"
  | "unpricedTokens";

export type RowChange = {
  set: Partial<Omit<RowState, Counters>>;
  add: Partial<Record<Counters, number>>;
  /** Whether the row moves up in its list: a skipped reset or a sample of a process does not. */
  moves: boolean;
};

export const EMPTY_ROW: RowState = {
  title: null,
  model: null,
  turn: null,
  retryAt: null,
  recovering: false,
  held: false,
  failed: false,
  ended: false,
  successor: null,
  messages: 0,
  tools: 0,
  queued: 0,
  approvals: 0,
  questions: 0,
  inputTokens: 0,
  outputTokens: 0,
  cost: 0,
  unpricedTokens: 0,
};

/** Undefined when nothing of the row changes, as with drafts: the most frequent write of all. */
export function rowChange(events: readonly NewEvent[]): RowChange | undefined {
  const change: RowChange = { set: {}, add: {}, moves: false };
  let changed = false;
  for (const event of events) changed = changeBy(change, event) || changed;
  return changed ? change : undefined;
}

export function changedRow(row: RowState, change: RowChange): RowState {
  const next = { ...row, ...change.set };
  for (const [name, n] of Object.entries(change.add) as [Counters, number][]) next[name] += n;
  return next;
}

export function statusOf(
  row: Pick<
    RowState,
    "ended" | "turn" | "recovering" | "approvals" | "questions" | "retryAt" | "queued" | "held"
  >,
): Status {
  if (row.ended) return "ended";
  if (row.turn !== null) {
    if (row.recovering) return "recovering";
    return row.approvals + row.questions > 0 || row.retryAt !== null ? "waiting" : "running";
  }
  return row.queued > 0 && !row.held ? "queued" : "idle";
}

export type Attention = { kind: "approval" | "question" | "failed"; count: number };

export function attentionOf(row: Pick<RowState, "approvals" | "questions" | "failed">): Attention | null {
  if (row.approvals > 0) return { kind: "approval", count: row.approvals + row.questions };
  if (row.questions > 0) return { kind: "question", count: row.questions };
  return row.failed ? { kind: "failed", count: 1 } : null;
}

/** A turn that is open and yet failed was given up: nobody goes on with it before something is sent. */
export function isGivenUp(status: Status, attention: Attention | null): boolean {
  return (status === "running" || status === "recovering") && attention?.kind === "failed";
}

/** Messages and tools are counted up to so many each: whoever missed more is told "a thousand", not kept waiting. */
export const MISSED_MAX = 1_000;

/** What an event counts as for "unread" and "while you were away". */
export function tallyOf(event: NewEvent): "message" | "tool" | undefined {
  if (event.type === "input_admitted" || event.type === "task_finished") return "message";
  if (event.type === "tool_finished") return "tool";
  if (event.type === "step_completed" && event.data.message.some((piece) => piece.type === "text"))
    return "message";
  return undefined;
}

function changeBy(change: RowChange, event: NewEvent): boolean {
  const { set } = change;
  const tally = tallyOf(event);
  if (tally === "message") add(change, "messages", 1);
  if (tally === "tool") add(change, "tools", 1);
  switch (event.type) {
    case "session_created":
      if (event.data.title !== undefined) set.title = event.data.title;
      if (event.data.model !== undefined) set.model = event.data.model;
      return moved(change);
    case "session_titled":
      set.title = event.data.title;
      return true;
    case "model_changed":
      set.model = event.data.model;
      return true;
    case "session_ended":
      set.ended = true;
      set.turn = null;
      if (event.data.successor !== undefined) set.successor = event.data.successor;
      return moved(change);
    case "input_admitted":
      add(change, "queued", 1);
      set.held = false; // a new send goes on after a stop
      return moved(change);
    case "input_withdrawn":
    case "input_delivered":
      add(change, "queued", -1);
      return true;
    case "queue_held":
      set.held = true;
      return true;
    case "queue_released":
      set.held = false;
      return true;
    case "turn_started":
      set.turn = event.data.turn;
      set.failed = false;
      return moved(change);
    case "turn_ended":
      set.turn = null;
      set.retryAt = null;
      set.recovering = false;
      set.failed = event.data.outcome === "failed";
      return moved(change);
    case "step_started":
      set.retryAt = null;
      set.recovering = false;
      set.failed = false;
      return true;
    case "step_aborted":
      set.retryAt = event.data.retryAt ?? null;
      return true;
    case "step_completed":
      set.recovering = false; // whoever was thought lost speaks
      if (event.data.usage) used(change, event.data.usage);
      return moved(change);
    case "context_compacted":
      if (event.data.usage) used(change, event.data.usage);
      return moved(change);
    case "tool_finished":
      set.recovering = false;
      return moved(change);
    case "ask_opened":
      add(change, event.data.kind === "approval" ? "approvals" : "questions", 1);
      return moved(change);
    case "ask_answered":
    case "ask_closed":
      add(change, event.data.kind === "approval" ? "approvals" : "questions", -1);
      return true;
    case "executor_lost":
      set.recovering = true;
      return true;
    case "executor_recovered":
      set.recovering = false;
      set.failed = false;
      return true;
    case "executor_gave_up":
      set.failed = true;
      set.retryAt = null;
      return moved(change);
    case "task_finished":
      return moved(change);
    default:
      return false; // what is not named here, a newer version's facts included, leaves the row alone
  }
}

function add(change: RowChange, counter: Counters, n: number): void {
  if (n !== 0) change.add[counter] = (change.add[counter] ?? 0) + n;
}

function used(change: RowChange, usage: Usage): void {
  add(change, "inputTokens", usage.inputTokens);
  add(change, "outputTokens", usage.outputTokens);
  add(change, "cost", usage.cost ?? 0);
  add(change, "unpricedTokens", unpricedTokens(usage));
}

function moved(change: RowChange): true {
  change.moves = true;
  return true;
}
