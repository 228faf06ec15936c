// A database that PostgreSQL's own tools brought back is another history under the old name: clients would take their
// positions of the abandoned time for places in this one. A new store id tells them, and each home that what it has not
// begun itself is lost (src/keeper/take-home.ts).
import pg from "pg";
import { StorageError, type Renewed } from "../store.ts";
import { connectionTo, WAIT_FOR_DISK } from "./database.ts";
import { storageFault } from "./fault.ts";
import { isNodeGone, RETURN_MS } from "./liveness.ts";

const WAIT_MS = 10_000;

export async function renewPostgres(url: string, newStoreId: string): Promise<Renewed> {
  const client = new pg.Client({
    ...connectionTo(url, newStoreId),
    statement_timeout: WAIT_MS,
    lock_timeout: WAIT_MS,
  });
  client.on("error", () => {}); // whatever is lost shows itself in the statement that waits for it
  try {
    await client.connect();
    await client.query(WAIT_FOR_DISK);
    await refuseStranger(client);
    await untilNodesAreBack(client);
    await client.query("begin");
    // A node says that it is there before it asks whose store this is: one that starts now waits, and is told the new id.
    await client.query("lock table node in exclusive mode");
    await refuseWhileLive(client);
    const renewed = await renew(client, newStoreId);
    await client.query("commit");
    return renewed;
  } catch (error) {
    throw storageFault(error);
  } finally {
    await client.end();
  }
}

async function refuseStranger(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ known: boolean }>(
    "select to_regclass('meta') is not null and to_regclass('node') is not null as known",
  );
  if (!rows[0]?.known) throw noStore();
}

/** Right after the server's start the locks of nodes that live say nothing yet. */
async function untilNodesAreBack(client: pg.Client): Promise<void> {
  await client.query(
    `select pg_sleep(greatest(0, ${2 * RETURN_MS} / 1000.0
      - date_part('epoch', clock_timestamp() - pg_postmaster_start_time())))`,
  );
}

async function refuseWhileLive(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ host: string; pid: string; url: string | null }>(
    `select host, pid, url from node where not ${isNodeGone("id")} order by started_at, id`,
  );
  if (rows.length === 0) return;
  const nodes = rows.map(({ host, pid, url }) => `${host}:${pid}${url === null ? "" : ` at ${url}`}`);
  throw new StorageError(
    "busy",
    `${rows.length === 1 ? "a node is" : `${rows.length} nodes are`} at work on this database (${nodes.join(", ")}), ` +
      "and would go on under the old id: stop every one, then do this again",
  );
}

async function renew(client: pg.Client, newStoreId: string): Promise<Renewed> {
  const { rows } = await client.query<{ was: string; running: number }>(
    `select value as was, (select count(*)::int from process where status = 'running') as running
      from meta where name = 'store' for update`,
  );
  const [found] = rows;
  if (!found) throw noStore();
  await client.query({ text: "update meta set value = $1 where name = 'store'", values: [newStoreId] });
  return { was: found.was, is: newStoreId, running: found.running };
}

function noStore(): StorageError {
  return new StorageError("broken", "this database was not made by Holdfast: nothing was changed");
}
