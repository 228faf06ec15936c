// A session's row between its two shapes: columns in a table, and what the store's readers get. Both dialects name
// the columns alike, so that one table of names serves both.
import { formatPosition } from "../session/position.ts";
import { attentionOf, type RowChange, type RowState, type Status } from "../session/row.ts";
import type { Origin, SessionRow } from "./store.ts";

export const ROW_COLUMNS: Readonly<Record<keyof RowState, string>> = {
  title: "title",
  model: "model",
  turn: "turn",
  retryAt: "retry_at",
  recovering: "recovering",
  held: "held",
  failed: "failed",
  ended: "ended",
  successor: "successor",
  messages: "messages",
  tools: "tools",
  queued: "queued",
  approvals: "approvals",
  questions: "questions",
  inputTokens: "input_tokens",
  outputTokens: "output_tokens",
  cost: "cost",
  unpricedTokens: "unpriced_tokens",
};

export type Assignment = { column: string; value: string | number | boolean | null; adds: boolean };

/** What to write for a change: always in the same order, so that equal shapes are one statement. */
export function assignments(change: RowChange): Assignment[] {
  return (Object.keys(ROW_COLUMNS) as (keyof RowState)[]).flatMap((name): Assignment[] => {
    const column = ROW_COLUMNS[name];
    const set = (change.set as Partial<RowState>)[name];
    if (set !== undefined) return [{ column, value: set, adds: false }];
    const add = (change.add as Partial<Record<keyof RowState, number>>)[name];
    return add === undefined ? [] : [{ column, value: add, adds: true }];
  });
}

/** As the databases give it: SQLite has 0 and 1 for truth, and times are milliseconds. */
export type SessionRecord = {
  id: string;
  title: string | null;
  profile: string;
  workspace: string | null;
  lane: string | null;
  model: string | null;
  status: string;
  failed: boolean | number;
  /** With those of the delegates that work for it. */
  approvals: number;
  questions: number;
  messages: number;
  queued: number;
  processes: number;
  retry_at: string | null;
  input_tokens: number;
  output_tokens: number;
  cost: number;
  unpriced_tokens: number;
  pinned: boolean | number;
  archived: boolean | number;
  origin_kind: string | null;
  origin_session: string | null;
  origin_at: string | null;
  created_at: number;
  updated_at: number;
  seq: number;
  sub: number;
  head: string;
  unread: number;
};

export function sessionRow(record: SessionRecord): SessionRow {
  return {
    id: record.id,
    title: record.title,
    profile: record.profile,
    workspace: record.workspace,
    lane: record.lane,
    model: record.model,
    status: record.status as Status, // the generated column says nothing else
    attention: attentionOf({ ...record, failed: Boolean(record.failed) }),
    unread: record.unread,
    messages: record.messages,
    queued: record.queued,
    processes: record.processes,
    position: formatPosition(record.seq, record.sub),
    createdAt: new Date(record.created_at).toISOString(),
    updatedAt: new Date(record.updated_at).toISOString(),
    head: record.head,
    origin: originOf(record),
    pinned: Boolean(record.pinned),
    archived: Boolean(record.archived),
    retryAt: record.retry_at,
    usage: usageOf(record),
  };
}

/** Where no price was known for any of it, what it cost is not known either. */
function usageOf({ input_tokens, output_tokens, cost, unpriced_tokens }: SessionRecord): SessionRow["usage"] {
  const tokens = input_tokens + output_tokens;
  return {
    inputTokens: input_tokens,
    outputTokens: output_tokens,
    cost: tokens > 0 && unpriced_tokens === tokens ? null : cost,
    unpricedTokens: unpriced_tokens,
  };
}

function originOf({ origin_kind, origin_session, origin_at }: SessionRecord): Origin | null {
  if (origin_kind === null || origin_session === null) return null;
  const origin = { kind: origin_kind, session: origin_session } as Origin; // as createSession wrote it
  return origin_at === null ? origin : { ...origin, at: origin_at as NonNullable<Origin["at"]> };
}
