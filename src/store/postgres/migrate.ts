// Brings the schema up to this version: forward only, each migration in its own transaction, one node at a time. A
// node that is killed in the middle leaves whole migrations behind, and the next one goes on from there.
import pg from "pg";
import { StorageError } from "../store.ts";
import { connectionTo } from "./database.ts";
import { storageFault } from "./fault.ts";
import { sql as begin } from "./migrations/001-begin.ts";
import { sql as askAndRule } from "./migrations/002-ask-and-rule.ts";
import { sql as rest } from "./migrations/003-rest.ts";
import { sql as process } from "./migrations/004-process.ts";
import { sql as packedView } from "./migrations/005-packed-view.ts";
import { sql as plainRow } from "./migrations/006-plain-row.ts";
import { sql as deed } from "./migrations/007-deed.ts";
import { sql as wait } from "./migrations/008-wait.ts";
import { sql as copying } from "./migrations/009-copying.ts";
import { sql as namedFiles } from "./migrations/010-named-files.ts";
import { sql as usage } from "./migrations/011-usage.ts";
import { sql as forkLane } from "./migrations/012-fork-lane.ts";

export type Migration = {
  number: number;
  name: string;
  /** Programs from before it must not write to the database any more. */
  breaking: boolean;
  sql: string;
};

export const MIGRATIONS: readonly Migration[] = [
  { number: 1, name: "begin", breaking: true, sql: begin },
  { number: 2, name: "ask_and_rule", breaking: true, sql: askAndRule },
  { number: 3, name: "rest", breaking: true, sql: rest },
  { number: 4, name: "process", breaking: true, sql: process },
  { number: 5, name: "packed_view", breaking: true, sql: packedView },
  { number: 6, name: "plain_row", breaking: true, sql: plainRow },
  { number: 7, name: "deed", breaking: false, sql: deed },
  { number: 8, name: "wait", breaking: false, sql: wait },
  { number: 9, name: "copying", breaking: false, sql: copying },
  { number: 10, name: "named_files", breaking: true, sql: namedFiles },
  { number: 11, name: "usage", breaking: false, sql: usage },
  { number: 12, name: "fork_lane", breaking: false, sql: forkLane },
];

/** Longer than any migration takes on another node that started at the same moment. */
const WAIT_MS = 120_000;
const VERSION_MIN = 150_000;

export async function migrate(url: string, node: string, migrations = MIGRATIONS): Promise<void> {
  const client = new pg.Client({
    ...connectionTo(url, node),
    statement_timeout: WAIT_MS,
    lock_timeout: WAIT_MS,
    query_timeout: WAIT_MS,
  });
  client.on("error", () => {}); // whatever is lost shows itself in the statement that waits for it
  try {
    await client.connect();
    await refuseUnfit(client);
    await client.query("select pg_advisory_lock(hashtextextended('holdfast migrations', 0))");
    await client.query(
      "create table if not exists migration (number bigint primary key, name text not null, breaking boolean not null)",
    );
    const { rows } = await client.query<Applied>(
      "select number, name, breaking from migration order by number",
    );
    refuseNewer(rows, migrations);
    for (const migration of migrations)
      if (!rows.some(({ number }) => number === migration.number)) await apply(client, migration);
  } catch (error) {
    throw storageFault(error);
  } finally {
    await client.end(); // and with it the lock
  }
}

async function refuseUnfit(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ encoding: string; version: string }>(
    "select current_setting('server_encoding') as encoding, current_setting('server_version_num') as version",
  );
  const [server] = rows;
  if (server && Number(server.version) < VERSION_MIN)
    throw new StorageError("broken", "this PostgreSQL is older than 15: use a newer server");
  if (server?.encoding !== "UTF8")
    throw new StorageError(
      "broken",
      `this database has the encoding ${server?.encoding}: make one with encoding UTF8`,
    );
}

type Applied = Omit<Migration, "sql">;

function refuseNewer(applied: readonly Applied[], migrations: readonly Migration[]): void {
  const known = Math.max(0, ...migrations.map(({ number }) => number));
  const newer = applied.find(({ number, breaking }) => number > known && breaking);
  if (newer)
    throw new StorageError(
      "broken",
      `this database belongs to a newer Holdfast (migration ${newer.number}, "${newer.name}"; this one knows ` +
        `${known}): start that version, or restore a backup from before`,
    );
}

async function apply(client: pg.Client, { number, name, breaking, sql }: Migration): Promise<void> {
  await client.query("begin");
  await client.query(sql);
  await client.query({
    text: "insert into migration (number, name, breaking) values ($1, $2, $3)",
    values: [number, name, breaking],
  });
  await client.query("commit");
}
