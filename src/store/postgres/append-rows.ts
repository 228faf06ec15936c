// What an append does to its session's row: counters as columns of numbers, which most changes are all of; what is set
// to a value as columns too, with a number whose bits say which of them are set, since any may be set to null or not at
// all. A change that sets only what is so already (a step begins, and nothing was wrong before it) writes nothing.
import type { RowChange, RowState } from "../../session/row.ts";
import { ROW_COLUMNS } from "../session-row.ts";
import { titleWords } from "../words.ts";
import type { Group } from "./append-group.ts";
import type { Value } from "./database.ts";
import { NO_NUMBER, rowsAlong, type Parameters } from "./rows-along.ts";
import { bigintArray, doubleArray, textArray } from "./wire.ts";

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

export function changedRows(next: Parameters, shape: RowShape): string {
  const texts = textsIn(shape);
  const truths = shape.sets ? truthColumns : [];
  const rows = rowsAlong(next, {
    each: ["n", "bigint"],
    numbers: ["updated_at", ...counterColumns, ...(shape.sets ? ["sets", "trues"] : [])],
    amounts: ["cost"],
    texts,
  });
  const assigned = [
    "updated_at = case when c.updated_at < 0 then session.updated_at else c.updated_at end",
    ...["cost", ...counterColumns].map((column) => `${column} = session.${column} + c.${column}`),
    ...texts.map((column) => `${column} = ${setText(column)}`),
    ...truths.map((column) => `${column} = ${setTruth(column)}`),
  ];
  const differs = [
    "c.updated_at >= 0",
    ...["cost", ...counterColumns].map((column) => `c.${column} <> 0`),
    ...texts.map((column) => `${setText(column)} is distinct from session.${column}`),
    ...truths.map((column) => `${setTruth(column)} <> session.${column}`),
  ];
  return `rows_changed as (
  update session set ${assigned.join(",\n    ")}
  from (select fit.id, e.* from ${rows} as e join fit on fit.n = e.n offset 0) as c
  where session.id = c.id and (${differs.join("\n    or ")}))`;
}

/** n; updated_at, counters, sets, trues; cost; texts */
export function rowValues(groups: readonly Group[], shape: RowShape): Value[] {
  const [n, numbers, costs]: [number[], number[], number[]] = [[], [], []];
  const texts = new Map(textsIn(shape).map((column) => [column, [] as (string | null)[]]));
  groups.forEach(({ batch: { change }, at }, index) => {
    if (!change) return;
    n.push(index + 1);
    costs.push(change.add.cost ?? 0);
    numbers.push(change.moves ? at : NO_NUMBER);
    const add: Partial<Record<keyof RowState, number>> = change.add;
    for (const name of COUNTERS) numbers.push(add[name] ?? 0);
    if (!shape.sets) return;
    const set = setIn(change);
    numbers.push(set.bits, set.trues);
    for (const [column, values] of texts) values.push(set.texts[column] ?? null);
  });
  return [bigintArray(n), bigintArray(numbers), doubleArray(costs), ...Array.from(texts.values(), textArray)];
}

export function setsState(change: RowChange | undefined): boolean {
  for (const _ in change?.set) return true;
  return false;
}

export function setsNames(change: RowChange | undefined): boolean {
  return change !== undefined && NAMES.some((name) => change.set[name] !== undefined);
}

function setIn({ set }: RowChange): { bits: number; trues: number; texts: Record<string, string | null> } {
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

function textsIn({ sets, names }: RowShape): string[] {
  return [...(sets ? stateColumns : []), ...(names ? nameColumns : [])];
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
