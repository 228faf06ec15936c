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
