import pg from "pg";
import { afterAll, expect, it } from "vitest";
import { openNode } from "../../../test/open-postgres.ts";
import { useDatabase } from "../../../test/postgres.ts";

const database = await useDatabase();
const other = new pg.Client({ connectionString: database });
await other.connect();
afterAll(() => other.end());

it("what can't be tidied now is told, and keeps nothing else from being tidied", async () => {
  const url = new URL(database);
  url.searchParams.set("lock_timeout", "200"); // milliseconds, in place of the store's own
  const store = await openNode(url.href);
  await other.query("insert into login_link (hash, person, expires_at) values ('old', 'owner', 0)");
  await other.query("insert into purge (log) values ('ses_gone')");
  await other.query("insert into event (log, seq, crc, text) values ('ses_gone', 1, 0, '{}')");
  await other.query("begin");
  await other.query("lock table draft in share mode"); // what a deletion has left begins there
  await other.query("lock table batch in share mode");
  await expect(store.tidy()).rejects.toMatchObject({ kind: "busy" });
  await other.query("commit");
  const { rowCount } = await other.query("select from login_link");
  expect(rowCount).toBe(0);
  await store.tidy();
  expect((await other.query("select from event where log = 'ses_gone'")).rowCount).toBe(0);
});
