// A real PostgreSQL for tests. useDatabase() is what a test file wants; startPostgres() is for tests about the server itself.
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { afterAll, inject } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    postgresUrl: string;
  }
}

/** Gives the calling test file an empty database of its own on the run's server, dropped after the file's last test. */
export async function useDatabase(): Promise<string> {
  const database = await createDatabase(inject("postgresUrl"));
  afterAll(() => database.drop());
  return database.url;
}

export interface Database {
  url: string;
  drop(): Promise<void>;
}

/** Empty, or a copy of one that nobody is connected to. */
export async function createDatabase(serverUrl: string, copyOf?: string): Promise<Database> {
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  const template = copyOf === undefined ? "" : ` template ${new URL(copyOf).pathname.slice(1)}`;
  await onServer(serverUrl, `create database ${name}${template}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    // Forced, so that a connection leaked by a failed test cannot hold up the rest.
    drop: () => onServer(serverUrl, `drop database ${name} with (force)`),
  };
}

export interface Postgres {
  url: string;
  /** Goes down at once without a checkpoint, as by a crash; resolves when it is down. */
  crash(): Promise<void>;
  /** Comes up after a crash with the same data at the same URL. */
  restart(): Promise<void>;
  /** Stops the server and removes its data. */
  stop(): Promise<void>;
}

/**
 * Starts a server of its own. It goes away with the process that asked for it, however that one ends.
 * `durable` turns fsync and synchronous commits on: without them a test about crashes proves nothing.
 */
export async function startPostgres({ durable = false }: { durable?: boolean } = {}): Promise<Postgres> {
  const host = spawn(
    process.execPath,
    [fileURLToPath(new URL("postgres-host.ts", import.meta.url)), durable ? "durable" : "fast"],
    // A session of its own: Ctrl-C must end the tests first, not the server under them.
    { detached: true, stdio: ["pipe", "pipe", "inherit"] },
  );
  host.stdin.on("error", () => {}); // A host that is gone shows itself by the missing answer.
  const exited = new Promise<void>((resolve) => host.once("close", () => resolve()));
  const answers = createInterface({ input: host.stdout })[Symbol.asyncIterator]();

  const answer = async (): Promise<string> => {
    const line = await answers.next();
    if (line.done) throw new Error("the PostgreSQL for tests is gone; its last words are on stderr");
    return line.value;
  };
  const ask = async (command: string): Promise<void> => {
    host.stdin.write(`${command}\n`);
    await answer();
  };
  return {
    url: await answer(),
    crash: () => ask("crash"),
    restart: () => ask("restart"),
    stop: async () => {
      host.stdin.end();
      await exited;
    },
  };
}

async function onServer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
