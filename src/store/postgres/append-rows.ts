// What an append does to its session's row: counters as columns of numbers, which most changes are all of; what is set
// to a value as columns too, with a number whose bits say which of them are set, since any may be set to null or not at
// all. A change that sets only what is so already (a step begins, and nothing was wrong before it) writes nothing.
import type { RowChange, RowState } from "../../session/row.ts";
import { ROW_COLUMNS } from "../session-row.ts";
import { titleWords } from "../words.ts";
import type { Group } from "./append-group.ts";
import { NO_NUMBER } from "./rows-along.ts";
import { HOUR_MS } from "./session-status.ts";

const KINDS: Readonly<Record<keyof RowState, "counter" | "amount" | "text" | "truth">> = {
  title: "text",
  model: "text",
  turn: "text",
  retryAt: "text",
  recovering: "truth",
  held: "truth",
  failed: "truth",
  ended: "truth",
  successor: "text",
  messages: "counter",
  tools: "counter",
  queued: "counter",
  approvals: "counter",
  questions: "counter",
  inputTokens: "counter",
  outputTokens: "counter",
  cost: "amount",
  unpricedTokens: "counter",
};
const namesOf = (kind: string) =>
  (Object.keys(KINDS) as (keyof RowState)[]).filter((name) => KINDS[name] === kind);

const COUNTERS = namesOf("counter");
const TRUTHS = namesOf("truth");
const counterColumns = COUNTERS.map((name) => ROW_COLUMNS[name]);
/** Set with nearly every step, and those that are set a few times in a session's life. */
const STATES = ["turn", "retryAt"] as const;
const NAMES = ["title", "model", "successor"] as const;
const TEXTS = [...STATES, ...NAMES];
const stateColumns = STATES.map((name) => ROW_COLUMNS[name]);
const nameColumns = [...NAMES.map((name) => ROW_COLUMNS[name]), "title_words"];
const truthColumns = TRUTHS.map((name) => ROW_COLUMNS[name]);
/** Each column's own, which says that it is set; that of a truth, too, to what. */
const BITS = new Map([...truthColumns, ...stateColumns, ...nameColumns].map((column, n) => [column, 2 ** n]));

export type RowShape = {
  /** Whether any of the changes sets a value, */
  sets: boolean;
  /** and whether a name is among them. */
  names: boolean;
};

/** `bits`: which columns; `trues`: which of the truths among them are true. */
export type Sets = { bits: number; trues: number; texts: Record<string, string | null> };

export function changedRows(shape: RowShape): string {
  const texts = rowTexts(shape);
  const truths = shape.sets ? truthColumns : [];
  const assigned = [
    "updated_at = case when c.updated_at < 0 then session.updated_at else c.updated_at end",
    `updated_hour = case when c.updated_at < 0 then session.updated_hour else c.updated_at / ${HOUR_MS} end`,
    ...["cost", ...counterColumns].map((column) => `${column} = session.${column} + c.${column}`),
    ...texts.map((column) => `${column} = ${setText(column)}`),
    ...truths.map((column) => `${column} = ${setTruth(column)}`),
  ];
  const differs = [
    "c.changes > 1",
    ...texts.map((column) => `${setText(column)} is distinct from session.${column}`),
    ...truths.map((column) => `${setTruth(column)} <> session.${column}`),
  ];
  const columns = ["id", ...rowNumbers(shape), "cost", ...texts];
  return `rows_changed as (
  update session set ${assigned.join(",\n    ")}
  from (select ${columns.join(", ")} from fit where changes > 0 offset 0) as c
  where session.id = c.id and (${differs.join("\n    or ")}))`;
}

/** `changes`: 0 for nothing at all, 1 if the values that it sets may be other ones, 2 for certain. */
export function rowNumbers({ sets }: RowShape): string[] {
  return ["changes", "updated_at", ...counterColumns, ...(sets ? ["sets", "trues"] : [])];
}

/** In the same order. */
export function pushRowNumbers(
  numbers: number[],
  { batch: { change }, at }: Group,
  set: Sets | undefined,
): void {
  const add: Partial<Record<keyof RowState, number>> = change?.add ?? NOTHING;
  numbers.push(change ? (change.moves || addsAny(change) ? 2 : 1) : 0, change?.moves ? at : NO_NUMBER);
  for (const name of COUNTERS) numbers.push(add[name] ?? 0);
  if (set) numbers.push(set.bits, set.trues);
}

export function rowTexts({ sets, names }: RowShape): string[] {
  return [...(sets ? stateColumns : []), ...(names ? nameColumns : [])];
}

/** What each group sets, or nothing at all where none does. */
export function setsIn(groups: readonly Group[], { sets }: RowShape): Sets[] {
  return sets ? groups.map(({ batch: { change } }) => (change ? setIn(change) : NOTHING_SET)) : [];
}

function addsAny({ add }: RowChange): boolean {
  for (const name in add) if (add[name as keyof RowChange["add"]] !== 0) return true;
  return false;
}

export function setsState(change: RowChange | undefined): boolean {
  for (const _ in change?.set) return true;
  return false;
}

export function setsNames(change: RowChange | undefined): boolean {
  return change !== undefined && NAMES.some((name) => change.set[name] !== undefined);
}

const NOTHING = {};
const NOTHING_SET: Sets = { bits: 0, trues: 0, texts: {} };

function setIn({ set }: RowChange): Sets {
  let [bits, trues] = [0, 0];
  const texts: Record<string, string | null> = {};
  for (const name of TRUTHS) {
    const value = (set as Partial<RowState>)[name];
    if (value === undefined) continue;
    bits += bitOf(ROW_COLUMNS[name]);
    if (value === true) trues += bitOf(ROW_COLUMNS[name]);
  }
  for (const name of TEXTS) {
    const value = set[name];
    if (value === undefined) continue;
    bits += bitOf(ROW_COLUMNS[name]);
    texts[ROW_COLUMNS[name]] = value;
  }
  if (set.title !== undefined) {
    bits += bitOf("title_words");
    texts["title_words"] = titleWords(set.title);
  }
  return { bits, trues, texts };
}

function bitOf(column: string): number {
  return BITS.get(column) as number; // each column that can be set has one
}

function setText(column: string): string {
  return `case when c.sets & ${bitOf(column)} > 0 then c.${column} else session.${column} end`;
}

function setTruth(column: string): string {
  return `case when c.sets & ${bitOf(column)} > 0 then c.trues & ${bitOf(column)} > 0 else session.${column} end`;
}
