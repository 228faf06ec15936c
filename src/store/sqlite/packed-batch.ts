// A batch as the writer's thread gets it. Arrays cross over in a third of the time that objects with names take, which
// counts: one is sent for every piece of text that an agent says.
import type { RowChange } from "../../session/row.ts";
import type { Batch, Entry } from "../batch.ts";
import { assignments } from "../session-row.ts";
import type { Value } from "./database.ts";
import { packUsage, type PackedUsage } from "./usage.ts";

export type PackedBatch = [
  entries: PackedEntry[],
  /** What to do to the session's row. */
  row: RowUpdate | null,
  sweeps: string[] | null,
  ends: boolean,
  successor: string | null,
  /** What few batches do: rows of asks and processes. */
  rows: Pick<Batch, "asks" | "processes"> | null,
  /** What its steps used. */
  usage: PackedUsage[] | null,
];

export type PackedEntry = [
  facts: number,
  drafts: number,
  body: string,
  crc: number,
  owner: string | null,
  tally: Entry["tally"],
  author: string | null,
  search: Search,
];

/** What search shall find, if anything; true when it is better read from the log once it is sorted in. */
export type Search = string | true | null;

/** Longer texts are not sent over, nor kept in memory until their turn comes. */
const SENT_CHARS = 16 * 1024;

/** The log's key is the statement's last value. */
export type RowUpdate = [sql: string, values: Value[]];

export function packBatch(batch: Batch, now: number): PackedBatch {
  return [
    batch.entries.map(packEntry),
    batch.change ? rowUpdate(batch.change, now) : null,
    batch.sweeps.length > 0 ? batch.sweeps : null,
    batch.ends !== undefined,
    batch.ends?.successor ?? null,
    batch.asks.length + batch.processes.length > 0 ? { asks: batch.asks, processes: batch.processes } : null,
    batch.usage.length > 0 ? batch.usage.map(packUsage) : null,
  ];
}

function packEntry({ facts, drafts, body, crc, owner, tally, author, search, aside }: Entry): PackedEntry {
  return [facts, drafts, body, crc, owner, tally, author, packSearch(search, aside)];
}

export function packSearch(search: string | null, aside: boolean): Search {
  return aside || (search !== null && search.length > SENT_CHARS) ? true : search;
}

function rowUpdate(change: RowChange, now: number): RowUpdate {
  const changes = assignments(change);
  const values = changes.map(({ value }): Value => (typeof value === "boolean" ? Number(value) : value));
  const sets = changes.map(({ column, adds }, n) => `${column} = ${adds ? `${column} + ` : ""}?${n + 1}`);
  if (change.moves) sets.push(`updated_at = ?${values.push(now)}`);
  const sql = `update session set ${sets.join(", ")} where log = ?${values.length + 1}`;
  if (change.moves || changes.some(({ adds }) => adds)) return [sql, values];
  // Most of these set what is set already, as each step does that begins: then the row stays as it is.
  return [
    `${sql} and (${changes.map(({ column }, n) => `${column} is not ?${n + 1}`).join(" or ")})`,
    values,
  ];
}
