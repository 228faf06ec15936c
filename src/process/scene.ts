// For tests: a home for the processes of one test, and the check that none of them outlives it.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, vi } from "vitest";
import { NO_SECRETS } from "../secret/secrets.ts";
import { readStat } from "./proc-stat.ts";
import { Spawner } from "./spawner.ts";
import { startProcess, type ProcessSpec, type Started } from "./start.ts";
import { waitExit, type ProcessState, type RunningProcess } from "./state.ts";
import { readOutput } from "./output.ts";

export type Scene = {
  /** Stands for HOLDFAST_HOME. */
  home: string;
  workspace: string;
  spawner: Spawner;
  spec(command: ProcessSpec["command"], more?: Partial<ProcessSpec>): ProcessSpec;
  start(command: ProcessSpec["command"], more?: Partial<ProcessSpec>): Promise<RunningProcess>;
  /** A server of its own that starts this and stays, so that it can be killed. */
  serverStarting(spec: ProcessSpec, dies?: Dies): Server;
};

/** When a server kills itself, as -9 would. */
export type Dies = "never" | "before the spawn" | "while it spawns" | "once it runs";

export type Server = {
  started: Promise<Started & { spawner: number }>;
  exited: Promise<unknown>;
  kill(): Promise<void>;
};

export function useScene(): Scene {
  vi.setConfig({ testTimeout: 2 * WAIT_MAX_MS, hookTimeout: 2 * WAIT_MAX_MS }); // a condition that fails is to be named
  const ids: string[] = [];
  const servers: Server[] = [];
  const scene: Scene = {
    home: "",
    workspace: "",
    spawner: new Spawner(),
    spec(command, more) {
      const id = `prc_${randomBytes(8).toString("hex")}`;
      ids.push(id);
      const env = { PATH: process.env["PATH"] ?? "", HOME: scene.workspace };
      return { id, dir: join(scene.home, "processes", id), command, cwd: scene.workspace, env, ...more };
    },
    async start(command, more) {
      const started = await startProcess(scene.spec(command, more), scene.spawner);
      if (!started.ok) throw new Error(started.reason);
      return started.process;
    },
    serverStarting(spec, dies = "never") {
      const server = startServer(spec, dies);
      servers.push(server);
      return server;
    },
  };
  beforeEach(async () => {
    scene.home = await realpath(await mkdtemp(join(tmpdir(), "holdfast-process-")));
    scene.workspace = await realpath(await mkdtemp(join(tmpdir(), "holdfast-workspace-")));
    scene.spawner = new Spawner();
  });
  afterEach(async () => {
    await scene.spawner.close();
    for (const server of servers.splice(0)) await server.kill();
    const left = await leftRunning(ids.splice(0));
    await rm(scene.home, { recursive: true, force: true });
    await rm(scene.workspace, { recursive: true, force: true });
    expect(left, "nothing is left running").toEqual([]);
  });
  return scene;
}

export async function endOf(process: RunningProcess): Promise<ProcessState> {
  return waitExit(process, AbortSignal.timeout(WAIT_MAX_MS));
}

export async function saidBy(process: RunningProcess): Promise<string> {
  return (await readOutput(process.dir, NO_SECRETS.mask, 0, 1024 * 1024)).text;
}

const WAIT_MAX_MS = 20_000;

/** Waits for a condition, and says which one when it never holds. */
export async function until<T>(
  what: string,
  look: () => Promise<T | undefined | false> | T | undefined | false,
): Promise<T> {
  for (const begun = performance.now(); performance.now() - begun < WAIT_MAX_MS; await delay(10)) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
  }
  throw new Error(`it never came about: ${what}`);
}

export async function untilSaid(process: RunningProcess, text: string): Promise<string> {
  return until(`output with ${JSON.stringify(text)}`, async () => {
    const said = await saidBy(process);
    return said.includes(text) && said;
  });
}

/** Read here on its own, so that a fault in tree.ts cannot hide what it left. */
export async function taggedPids(ids: readonly string[]): Promise<number[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  const tagged = await Promise.all(
    pids.map(async (pid) => {
      const environ = await readFile(`/proc/${pid}/environ`, "latin1").catch(() => ""); // it ended meanwhile
      return ids.some((id) => `\0${environ}`.includes(`\0HOLDFAST_PROCESS=${id}\0`));
    }),
  );
  return pids.filter((_, i) => tagged[i]);
}

/** A zombie has ended, whenever its parent may ask how. */
export async function isRunning(pid: number): Promise<boolean> {
  const stat = await readStat(pid);
  return stat !== undefined && stat.state !== "Z";
}

const SETTLE_MAX_MS = 5_000;

/** What carries output ends a moment after the last writer; what stays longer is named, and killed for the next test's sake. */
async function leftRunning(ids: readonly string[]): Promise<string[]> {
  const begun = performance.now();
  let pids = await taggedPids(ids);
  while (pids.length > 0 && performance.now() - begun < SETTLE_MAX_MS) {
    await delay(20);
    pids = await taggedPids(ids);
  }
  const named = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "ended meanwhile")),
  );
  for (const pid of pids) if (await isRunning(pid)) process.kill(pid, "SIGKILL");
  return named.map((command) => command.replaceAll("\0", " "));
}

const SERVER = fileURLToPath(new URL("./scene-server.ts", import.meta.url));

function startServer(spec: ProcessSpec, dies: Dies): Server {
  const child = spawn(process.execPath, [SERVER, JSON.stringify({ spec, dies })], {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const exited = once(child, "exit");
  const started = Promise.withResolvers<Started & { spawner: number }>();
  child.once("message", (message) => started.resolve(message as Started & { spawner: number })); // from scene-server.ts
  return {
    started: started.promise,
    exited,
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}
