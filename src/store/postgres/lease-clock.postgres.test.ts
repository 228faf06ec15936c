import pg from "pg";
import { afterAll, expect, it } from "vitest";
import { newSession, openNode } from "../../../test/open-postgres.ts";
import { useDatabase } from "../../../test/postgres.ts";
import { NOW_MS } from "./clock.ts";
import { nodeLock } from "./liveness.ts";

const database = await useDatabase();
const hung = new pg.Client({ connectionString: database });
await hung.connect();
afterAll(() => hung.end());

const TTL_MS = 15_000;
const AHEAD_MS = 5 * 3600_000;

it("a node that comes when the server's clock was set back does not wait for the clock to catch up with one that hangs", async () => {
  const store = await openNode(database);
  const session = await newSession(store);
  // As a node leaves it that stands still while the clock is set back.
  await hung.query(`select pg_advisory_lock(${nodeLock("'nod_hung'")})`);
  await hung.query(
    `insert into node (id, host, pid, started_at, heartbeat_at) values ('nod_hung', 'test-host', 1, 0, ${NOW_MS} + ${AHEAD_MS})`,
  );
  const until = `${NOW_MS} + ${AHEAD_MS + TTL_MS}`;
  await hung.query(
    `update log set holder = 'nod_hung', epoch = epoch + 1, lease_until = ${until} where id = $1`,
    [session],
  );
  expect(await store.claimLease(session, TTL_MS)).toEqual({ ok: false, code: "held" });
  const { rows } = await hung.query<{ left: number }>(
    `select (lease_until - ${NOW_MS})::int as left from log where id = $1`,
    [session],
  );
  expect(rows[0]?.left).toBeLessThanOrEqual(TTL_MS);
});
