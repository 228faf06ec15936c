// Holdfast as it is run: `holdfast serve` as a process, on data that a row has put into its home.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { get } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "../test/server-process.ts";

const READY_WITHIN_MS = 30_000;
const LOOK_EVERY_MS = 3;
const LOG_MAX_CHARS = 4_000;
const launcher = fileURLToPath(new URL("../bin/launch.cjs", import.meta.url));

export type Served = {
  url: string;
  token: string;
  pid: number;
  /** From the spawn until /readyz said yes. */
  readyMs: number;
  stop(): Promise<void>;
  kill(): Promise<void>;
};

export type Serving = {
  home: string;
  database?: string;
  /** What config.toml says. */
  config?: string;
  /** Where one that was killed had listened. */
  port?: number;
};

/** Nobody works on what is sent: measured is how it is kept and told. */
const WITHOUT_AGENTS = "[executor]\nmaxTurns = 0\n";

export async function serve(
  stack: AsyncDisposableStack,
  { home, database, config = WITHOUT_AGENTS, port: given }: Serving,
): Promise<Served> {
  await writeFile(join(home, "config.toml"), config);
  const port = given ?? (await freePort());
  const url = `http://127.0.0.1:${port}`;
  const token = "a-token-for-the-bench-that-is-long-enough";
  const from = performance.now();
  const child = spawn(process.execPath, [launcher, "serve"], {
    stdio: ["ignore", "ignore", "pipe"],
    env: {
      PATH: process.env["PATH"],
      HOME: process.env["HOME"],
      HOLDFAST_HOME: home,
      HOLDFAST_PORT: String(port),
      HOLDFAST_TOKEN: token,
      ...(database === undefined ? {} : { HOLDFAST_DATABASE_URL: database }),
    },
  });
  let log = "";
  child.stderr.on("data", (chunk: Buffer) => (log = (log + String(chunk)).slice(-LOG_MAX_CHARS)));
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    child.kill(signal);
    await gone;
  };
  const stop = () => end("SIGTERM");
  stack.defer(stop);
  while (!(await isReady(url))) {
    if (child.exitCode !== null) throw new Error(`holdfast serve ended with ${child.exitCode}:\n${log}`);
    if (performance.now() - from > READY_WITHIN_MS) throw new Error(`${url} was not ready in time:\n${log}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  return {
    url,
    token,
    pid: child.pid ?? 0,
    readyMs: performance.now() - from,
    stop,
    kill: () => end("SIGKILL"),
  };
}

function isReady(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    get(`${url}/readyz`, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    }).on("error", () => resolve(false)); // not listening yet
  });
}
