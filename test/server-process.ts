// The real thing for scenarios: `holdfast serve` as a process of its own, with a home of its own, that can be killed and
// started again on the same port. Several of them on one database are several nodes.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { endCommands } from "./end-commands.ts";

const launcher = fileURLToPath(new URL("../bin/launch.cjs", import.meta.url));
const READY_WITHIN_MS = 30_000;
const BETWEEN_LOOKS_MS = 10;

export type ServerProcess = {
  readonly home: string;
  readonly url: string;
  readonly token: string;
  readonly pid: number;
  /** All that it has printed, over all its lives. */
  readonly output: string;
  /** Comes up again after a kill, on the same port and home; resolves when it is ready. `env` is for this life alone. */
  start(env?: Record<string, string>): Promise<void>;
  /** Resolves when the process has ended, by whatever hand. */
  ended(): Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  signal(signal: NodeJS.Signals): void;
  /** Resolves when the process is gone. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Kills it and what it has left running, and removes its home. */
  remove(): Promise<void>;
  fetch(path: string, init?: RequestInit): Promise<Response>;
};

export type ServerOptions = {
  /** False: nobody works on what is sent, so that it stays as it was sent. */
  agents?: boolean;
  /** The text of config.toml. */
  config?: string;
  databaseUrl?: string;
  env?: Record<string, string>;
  args?: string[];
  home?: string;
};

export async function startServer(options: ServerOptions = {}): Promise<ServerProcess> {
  const home = options.home ?? (await mkdtemp(join(tmpdir(), "holdfast-home-")));
  const config = options.agents === false ? "[executor]\nmaxTurns = 0\n" : options.config;
  if (config !== undefined) await writeFile(join(home, "config.toml"), config);
  const port = await freePort();
  const token = "a-token-for-tests-that-is-long-enough";
  const url = `http://127.0.0.1:${port}`;
  let output = "";
  let child: ChildProcess | undefined;

  const start = async (ofThisLife: Record<string, string> = {}) => {
    const env: NodeJS.ProcessEnv = {
      PATH: process.env["PATH"],
      HOME: process.env["HOME"],
      HOLDFAST_HOME: home,
      HOLDFAST_PORT: String(port),
      HOLDFAST_TOKEN: token,
      ...(options.databaseUrl === undefined ? {} : { HOLDFAST_DATABASE_URL: options.databaseUrl }),
      ...options.env,
      ...ofThisLife,
    };
    const started = spawn(process.execPath, [launcher, "serve", ...(options.args ?? [])], {
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    child = started;
    for (const stream of [started.stdout, started.stderr])
      stream.on("data", (chunk: Buffer) => (output += chunk));
    await ready(url, () => {
      if (started.exitCode !== null) throw new Error(`the server ended with ${started.exitCode}:\n${output}`);
    });
  };
  const kill = async (signal: NodeJS.Signals = "SIGKILL") => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    child.kill(signal);
    await gone;
  };
  await start();
  return {
    home,
    url,
    token,
    get pid() {
      return child?.pid ?? 0;
    },
    get output() {
      return output;
    },
    start,
    async ended() {
      if (child?.exitCode === null && child.signalCode === null) await once(child, "exit");
      return { code: child?.exitCode ?? null, signal: child?.signalCode ?? null };
    },
    signal: (signal) => void child?.kill(signal),
    kill,
    remove: async () => {
      await kill();
      await endCommands(home);
      await rm(home, { recursive: true, force: true });
    },
    fetch: (path, init = {}) =>
      fetch(url + path, {
        ...init,
        headers: { authorization: `Bearer ${token}`, ...(init.headers as Record<string, string>) },
      }),
  };
}

/** Asks until it is ready, or `check` throws, or the time is up. */
async function ready(url: string, check: () => void): Promise<void> {
  const until = Date.now() + READY_WITHIN_MS;
  for (;;) {
    check();
    const answer = await fetch(`${url}/readyz`).catch(() => undefined); // not listening yet
    if (answer?.ok) return;
    if (Date.now() > until) throw new Error(`${url} was not ready within ${READY_WITHIN_MS} ms`);
    await delay(BETWEEN_LOOKS_MS); // a server that starts needs the processor more than one that asks for it
  }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("a TCP server has a port");
  return address.port;
}
