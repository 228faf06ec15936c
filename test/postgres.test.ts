import pg from "pg";
import { expect, test } from "vitest";
import { startPostgres, useDatabase } from "./postgres.ts";

const databaseUrl = await useDatabase();

test("a test file gets an empty database of its own", async () => {
  const tables = await query(databaseUrl, "select 1 from pg_tables where schemaname = 'public'");
  expect(tables).toEqual([]);
});

test("a durable server keeps what was committed before a crash", async () => {
  const server = await startPostgres({ durable: true });
  try {
    await query(server.url, "create table kept as select current_setting('fsync') as fsync");
    await server.crash();
    await expect(query(server.url, "select 1")).rejects.toThrow("ECONNREFUSED");
    await server.restart();
    expect(await query(server.url, "select * from kept")).toEqual([{ fsync: "on" }]);
  } finally {
    await server.stop();
  }
});

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}
