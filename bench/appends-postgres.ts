// The same on PostgreSQL, with the durability that it comes with.
import pg from "pg";
import { take } from "./executor-facts.ts";
import { compare, takeTurns, timeOf, type Row } from "./measure.ts";
import { openPostgres } from "./open-store.ts";
import { bareRows, makeWriters } from "./writers.ts";

const ROUNDS = 25;
const APPENDS_EACH = 60;
const BARE_ROWS = 4_000;
const PER_STATEMENT = 100;

export const appendsPostgres: Row = {
  name: "appends-postgres",
  title: "durable appends per second on PostgreSQL, 64 writers that each await every append",
  reading:
    "1 × would mean that leases, session rows, words for the search, draft sweeping and awaiting each append cost nothing over inserting the same rows in one loop. Words are written with their facts, but sorted into the search index in a quiet moment, or after a minute, and so outside of this figure.",
  async measure(run) {
    const store = await openPostgres(run.stack, await run.database());
    const values = await takeTurns(ROUNDS, {
      ours: await makeWriters(store, APPENDS_EACH),
      bare: await openBare(run.stack, await run.database()),
    });
    return [
      compare({
        what: "appends/s, fsync and synchronous_commit on",
        unit: "/s",
        target: { atLeast: 0.5 },
        ours: values.ours,
        baseline: values.bare,
        baselineName: `a bare loop of unnest(${PER_STATEMENT}) on one connection, rows keyed by log and position`,
      }),
    ];
  },
};

async function openBare(stack: AsyncDisposableStack, url: string): Promise<() => Promise<number>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  stack.defer(() => client.end());
  await client.query(
    "create table event (log text, seq bigint, sub bigint, crc bigint, text text not null, primary key (log, seq, sub))",
  );
  const source = bareRows();
  return async () => {
    const rows = take(BARE_ROWS, source);
    const ms = await timeOf(async () => {
      for (let from = 0; from < rows.length; from += PER_STATEMENT) {
        const some = rows.slice(from, from + PER_STATEMENT);
        await client.query({
          name: "insert",
          text: `insert into event (log, seq, sub, crc, text)
                 select * from unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[])`,
          values: [
            some.map((row) => row.log),
            some.map((row) => row.seq),
            some.map((row) => row.sub),
            some.map((row) => row.crc),
            some.map((row) => row.text),
          ],
        });
      }
    });
    return rows.length / (ms / 1000);
  };
}
