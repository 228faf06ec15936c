// Durable appends on SQLite: what fencing, index, search, sweeping and waking leave of what the disk and SQLite can do.
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import { take } from "./executor-facts.ts";
import { compare, quantile, takeTurns, timeOf, type Row } from "./measure.ts";
import { openSqlite } from "./open-store.ts";
import { figure } from "./report.ts";
import { bareRows, makeWriters, type BareRow } from "./writers.ts";

const ROUNDS = 9;
const APPENDS_EACH = 500;
/** A round takes so long that what is done a while after the fact falls into it; the rest shall not burden the others. */
const AFTERWARDS_MS = 1_000;
const BARE_ROWS = 32_000;
const PER_COMMIT = 100;
/** A table that has just begun fits 64 logs into a few pages. */
const BARE_ROWS_BEFORE = 60_000;

export const appends: Row = {
  name: "appends",
  title: "durable appends per second on SQLite, 64 writers that each await every append",
  reading:
    "1 × would mean that leases, session rows, search index, draft sweeping and awaiting each append cost nothing over inserting the same rows in one loop. A round takes a second or so: drafts, which go half a second after their fact, and snapshots are a part of it.",
  async measure(run) {
    const folder = await run.folder();
    const store = await openSqlite(run.stack, join(folder, "holdfast.db"));
    const write = await makeWriters(store, APPENDS_EACH);
    const values = await takeTurns(ROUNDS, {
      async ours() {
        const perSecond = await write();
        await delay(AFTERWARDS_MS);
        return perSecond;
      },
      bare: await openBare(run.stack, join(folder, "bare.db"), KEYED),
      heap: await openBare(run.stack, join(folder, "heap.db"), HEAP),
    });
    const ofHeap = values.ours.map((value, round) => value / (values.heap[round] ?? Number.NaN));
    return [
      compare({
        what: "appends/s, synchronous=FULL",
        unit: "/s",
        target: { atLeast: 0.5 },
        ours: values.ours,
        baseline: values.bare,
        baselineName: `a bare node:sqlite loop, ${PER_COMMIT} to a commit, rows keyed by log and position`,
        details: [
          `${figure(quantile(ofHeap, 0.5))} × of the same loop into a table without a key (${figure(quantile(values.heap, 0.5))}/s), from which no log can be read`,
        ],
      }),
    ];
  },
};

type BareTable = { schema: string; insert: string; values(row: BareRow): (string | number)[] };

const KEYED: BareTable = {
  schema:
    "create table event (log text not null, seq integer not null, sub integer not null, crc integer not null, text text not null, primary key (log, seq, sub))",
  insert: "insert into event (log, seq, sub, crc, text) values (?, ?, ?, ?, ?)",
  values: ({ log, seq, sub, crc, text }) => [log, seq, sub, crc, text],
};
const HEAP: BareTable = {
  schema: "create table event (id integer primary key, text text not null)",
  insert: "insert into event (text) values (?)",
  values: ({ text }) => [text],
};

async function openBare(
  stack: AsyncDisposableStack,
  file: string,
  table: BareTable,
): Promise<() => Promise<number>> {
  const database = new DatabaseSync(file);
  stack.defer(() => database.close());
  database.exec("pragma journal_mode = wal; pragma synchronous = full");
  database.exec(table.schema);
  const insert = database.prepare(table.insert);
  const source = bareRows();
  const insertRows = async (count: number): Promise<number> => {
    const rows = take(count, source).map((row) => table.values(row));
    const ms = await timeOf(async () => {
      for (let from = 0; from < rows.length; from += PER_COMMIT) {
        database.exec("begin immediate");
        for (const row of rows.slice(from, from + PER_COMMIT)) insert.run(...row);
        database.exec("commit");
      }
    });
    return rows.length / (ms / 1000);
  };
  await insertRows(BARE_ROWS_BEFORE);
  return () => insertRows(BARE_ROWS);
}
