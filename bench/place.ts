// Where a run does its work: folders on the disk that is measured, and one durable PostgreSQL for all rows that want it.
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import pg from "pg";

/** Elsewhere than in the temporary folder when that is memory, where a sync costs nothing. */
export const benchFolder = process.env["HOLDFAST_BENCH_DIR"] ?? tmpdir();

export async function makeFolder(stack: AsyncDisposableStack): Promise<string> {
  const folder = await mkdtemp(join(benchFolder, "holdfast-bench-"));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** More than any row writes. */
const JOURNAL_MB = 500;

export type PostgresServer = { url: string; version: string; database(): Promise<string> };

/** The tests' own host process, asked for its durable server: the settings that PostgreSQL comes with. */
export async function startPostgres(stack: AsyncDisposableStack): Promise<PostgresServer> {
  const host = spawn(process.execPath, [hostFile, "durable"], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, TMPDIR: benchFolder },
  });
  const gone = once(host, "close");
  stack.defer(async () => {
    host.stdin.end(); // it stops the server and removes its data when its stdin ends
    await gone;
  });
  const [url] = (await once(createInterface({ input: host.stdout }), "line")) as [string];
  const [{ server_version: version = "?" } = {}] = await query(url, "show server_version");
  await fillJournal(url);
  return {
    url,
    version,
    async database() {
      const name = `bench_${randomUUID().replaceAll("-", "")}`;
      await query(url, `create database ${name}`);
      return new URL(`/${name}`, url).href;
    },
  };
}

/**
 * A server that has run for a while has files of its journal to use again. One that has just begun makes each anew, which
 * takes 40 ms here, and whose round that fell into was chance.
 */
async function fillJournal(url: string): Promise<void> {
  const someMb = `select pg_logical_emit_message(false, 'bench', repeat('x', 1000000)) from generate_series(1, ${JOURNAL_MB})`;
  for (const statement of [someMb, "checkpoint"]) await query(url, statement);
}

async function query(url: string, statement: string): Promise<Record<string, string>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, string>>(statement)).rows;
  } finally {
    await client.end();
  }
}

const hostFile = fileURLToPath(new URL("../test/postgres-host.ts", import.meta.url));
