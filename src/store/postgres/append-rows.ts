// What an append does to its session's row: counters as columns of numbers, which most changes are all of; what is set
// to a value as JSON, since any of it may be set to null or not at all. A change that sets only what is so already (a
// step begins, and nothing was wrong before it) writes nothing.
import type { RowState } from "../../session/row.ts";
import { assignments, ROW_COLUMNS } from "../session-row.ts";
import { titleWords } from "../words.ts";
import type { Group } from "./append-group.ts";
import type { Value } from "./database.ts";
import { bigintArray, doubleArray, storable, textArray } from "./wire.ts";

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
const counterColumns = COUNTERS.map((name) => ROW_COLUMNS[name]);
const textColumns = [...namesOf("text").map((name) => ROW_COLUMNS[name]), "title_words"];
const truthColumns = namesOf("truth").map((name) => ROW_COLUMNS[name]);

/** `sets` is whether any of the changes sets a value. */
export function changedRows(next: (type: string) => string, sets: boolean): string {
  const names = ["n", "updated_at", "cost", ...counterColumns, ...(sets ? ["state"] : [])];
  const types = ["bigint[]", "bigint[]", "double precision[]", ...counterColumns.map(() => "bigint[]")];
  const arrays = [...types, ...(sets ? ["text[]"] : [])].map(next);
  const assigned = [
    "updated_at = coalesce(c.updated_at, session.updated_at)",
    ...["cost", ...counterColumns].map((column) => `${column} = session.${column} + c.${column}`),
    ...(sets ? textColumns.map((column) => `${column} = ${setText(column)}`) : []),
    ...(sets ? truthColumns.map((column) => `${column} = ${setTruth(column)}`) : []),
  ];
  const differs = [
    "c.updated_at is not null",
    ...["cost", ...counterColumns].map((column) => `c.${column} <> 0`),
    ...(sets ? textColumns.map((column) => `${setText(column)} is distinct from session.${column}`) : []),
    ...(sets ? truthColumns.map((column) => `${setTruth(column)} <> session.${column}`) : []),
  ];
  return `rows_changed as (
  update session set ${assigned.join(",\n    ")}
  from (
    select fit.id, ${names.slice(1).map(columnOf).join(", ")}
    from unnest(${arrays.join(", ")}) as e (${names.join(", ")}) join fit on fit.n = e.n
    offset 0) as c
  where session.id = c.id and (${differs.join("\n    or ")}))`;
}

/** n, updated_at, cost, counters, state */
export function rowValues(groups: readonly Group[], sets: boolean): Value[] {
  const n: number[] = [];
  const movedAt: (number | null)[] = [];
  const costs: number[] = [];
  const counters: number[][] = COUNTERS.map(() => []);
  const states: (string | null)[] = [];
  groups.forEach(({ batch: { change }, at }, index) => {
    if (!change) return;
    n.push(index + 1);
    movedAt.push(change.moves ? at : null);
    const add: Partial<Record<keyof RowState, number>> = change.add;
    costs.push(add.cost ?? 0);
    COUNTERS.forEach((name, column) => counters[column]?.push(add[name] ?? 0));
    states.push(sets ? stateOf(change) : null);
  });
  return [
    bigintArray(n),
    bigintArray(movedAt),
    doubleArray(costs),
    ...counters.map(bigintArray),
    ...(sets ? [textArray(states)] : []),
  ];
}

export function setsValues({ batch }: Group): boolean {
  return batch.change !== undefined && Object.keys(batch.change.set).length > 0;
}

function stateOf(change: NonNullable<Group["batch"]["change"]>): string | null {
  const state: Record<string, unknown> = {};
  for (const { column, value, adds } of assignments(change))
    if (!adds) state[column] = typeof value === "string" ? storable(value).toWellFormed() : value; // jsonb refuses half pairs
  if (change.set.title !== undefined) state["title_words"] = titleWords(change.set.title);
  return Object.keys(state).length === 0 ? null : JSON.stringify(state);
}

function columnOf(name: string): string {
  return name === "state" ? "e.state::jsonb as state" : `e.${name}`;
}

function setText(column: string): string {
  return `case when c.state ? '${column}' then c.state ->> '${column}' else session.${column} end`;
}

function setTruth(column: string): string {
  return `coalesce((c.state -> '${column}')::boolean, session.${column})`;
}
