import { access, mkdir, open, readFile, rename, rm, symlink, unlink, writeFile } from "node:fs/promises";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, test } from "vitest";
import { NO_SECRETS } from "../secret/secrets.ts";
import { commitSpec } from "./directory.ts";
import { bootId } from "./identity.ts";
import { writeInput } from "./input.ts";
import { readOutput } from "./output.ts";
import { parseStat, readStat } from "./proc-stat.ts";
import { endOf, isRunning, saidBy, taggedPids, until, untilSaid, useScene } from "./scene.ts";
import { startProcess, type ProcessSpec } from "./start.ts";
import { adopt, waitExit, type RunningProcess } from "./state.ts";
import { stopProcess } from "./stop.ts";
import { findTree } from "./tree.ts";

const scene = useScene();

test("a command outlives the kill -9 of its server and is adopted with output, input, control and exit code", async () => {
  const spec = scene.spec("echo run >>runs; echo before; read line; echo got $line; read line; exit 9", {
    stdin: "fifo",
  });
  const server = scene.serverStarting(spec);
  expect(await server.started).toMatchObject({ ok: true });
  await server.kill();

  const process = await adoptRunning(spec);
  await untilSaid(process, "before");
  expect(await writeInput(process, "after the crash\n")).toEqual({ ok: true });
  await untilSaid(process, "got after the crash");
  expect(await writeInput(process, "end\n")).toEqual({ ok: true });
  expect(await endOf(process)).toMatchObject({ state: "exited", exit: 9, cause: "exit" });
  expect(await saidBy(process)).toBe("before\ngot after the crash\n");
  expect(await readFile(join(scene.workspace, "runs"), "utf8")).toBe("run\n");
});

test("a command that ended while no server was there is read back whole", async () => {
  const spec = scene.spec("until [ -e gate ]; do sleep 0.05; done; echo said; exit 3");
  const server = scene.serverStarting(spec);
  await server.started;
  await server.kill();
  await writeFile(join(scene.workspace, "gate"), "");
  await until("an exit", () =>
    access(join(spec.dir, "exit")).then(
      () => true,
      () => false,
    ),
  );
  const state = await adopt(spec.dir);
  expect(state).toMatchObject({ state: "exited", exit: 3, cause: "exit" });
  expect((await readOutput(spec.dir, NO_SECRETS.mask, 0, 100)).text).toBe("said\n");
  expect(await adopt(spec.dir)).toEqual(state);
});

test("an adopted command can be stopped", async () => {
  const spec = scene.spec("sleep 1000");
  const server = scene.serverStarting(spec);
  await server.started;
  await server.kill();
  const process = await adoptRunning(spec);
  const stopped = await stopProcess(process.dir, { reason: "timed_out" });
  expect(stopped).toMatchObject({ state: { state: "exited", exit: 143, cause: "timed_out" }, alive: [] });
});

test.each([
  ["before the spawn", ["unstarted"]],
  ["while it spawns", ["unstarted", "exited"]],
  ["once it runs", ["exited"]],
] as const)(
  "a command whose server dies %s has run once, or is told never to have run and never does",
  async (dies, possible) => {
    const states = new Set<string>();
    for (let round = 0; round < 6; round++) {
      const spec = scene.spec(`echo ${round} >>runs`);
      await scene.serverStarting(spec, dies).exited;
      const adopted = await adopt(spec.dir);
      const end = adopted.state === "running" ? await endOf(adopted) : adopted;
      states.add(end.state);
      expect([end.state, await timesRun(round)]).toEqual(
        end.state === "unstarted" ? ["unstarted", 0] : ["exited", 1],
      );
      await until("no shim in waiting", async () => (await taggedPids([spec.id])).length === 0);
      expect([await adopt(spec.dir), await timesRun(round)]).toEqual([
        end,
        end.state === "unstarted" ? 0 : 1,
      ]);
    }
    expect(possible).toEqual(expect.arrayContaining([...states]));
  },
  60_000,
);

test("adopting what no server ever began gives it up, so that a slow server cannot begin it later", async () => {
  const spec = scene.spec("touch ran");
  expect(await adopt(spec.dir)).toEqual({ state: "unstarted" });
  expect(await startProcess(spec, scene.spawner)).toMatchObject({ ok: false, code: "taken" });
});

test("a server that was slow between its commit and its spawn finds the command given up, and it does not run", async () => {
  const spec = scene.spec("touch ran");
  const started = await startProcess(spec, {
    async spawn(request, ended) {
      expect(await adopt(spec.dir)).toEqual({ state: "unstarted" });
      return scene.spawner.spawn(request, ended);
    },
  });
  expect(started).toMatchObject({ ok: false, code: "spawn_failed" });
  await until("the shim's end", async () => (await taggedPids([spec.id])).length === 0);
  await expect(access(join(scene.workspace, "ran"))).rejects.toThrow("ENOENT");
});

test("after a reboot, what was committed but not claimed is lost and not unstarted, however often it is asked", async () => {
  const spec = scene.spec("true");
  await mkdir(spec.dir, { recursive: true });
  await commitSpec(spec.dir, keptAs(spec));
  const kept = JSON.parse(await readFile(join(spec.dir, "spec.json"), "utf8")) as object;
  await writeFile(join(spec.dir, "spec.json"), JSON.stringify({ ...kept, boot: "an earlier one" }));
  expect(await adopt(spec.dir)).toEqual({ state: "lost" });
  expect(await adopt(spec.dir)).toEqual({ state: "lost" });
});

test("a shim that is killed leaves its command lost, not exited with 0, and what it ran can still be ended", async () => {
  const process = await scene.start("echo ready; trap '' HUP; sleep 1000");
  await untilSaid(process, "ready");
  const end = endOf(process); // whoever waits is not told by the file system
  expect((await findTree(process.dir)).shimAlive).toBe(true);
  globalThis.process.kill(process.shim.pid, "SIGKILL");
  expect(await end).toEqual({ state: "lost" });
  expect(await adopt(process.dir)).toEqual({ state: "lost" });
  const stopped = await stopProcess(process.dir, { reason: "stopped" });
  expect(stopped).toMatchObject({ state: { state: "lost" }, alive: [] });
  expect(stopped.ended.map(({ command }) => command)).toContain("sleep 1000");
});

test("an exit file without a code counts as none", async () => {
  const process = await scene.start("exit 4");
  await endOf(process);
  await until("the shim's end", async () => !(await findTree(process.dir)).shimAlive);
  await writeFile(join(process.dir, "exit"), "");
  expect(await adopt(process.dir)).toEqual({ state: "lost" });
});

test("an exit that comes between the look for it and the look for its shim is read", async () => {
  const process = await scene.start("exit 4");
  await endOf(process);
  await until("the shim's end", async () => !(await findTree(process.dir)).shimAlive);
  const exit = join(process.dir, "exit");
  await rename(exit, `${exit}.later`);
  await once(spawn("mkfifo", [exit]), "exit");
  const found = adopt(process.dir);
  const empty = await open(exit, "w"); // whoever looks for it is reading it now
  await rename(`${exit}.later`, exit);
  await empty.close();
  expect(await found).toMatchObject({ state: "exited", exit: 4 });
});

test.each([
  ["ended, when there is no exit that it could have carried", false],
  ["left to carry the rest, when the exit is there", true],
])("what carries the output of a shim that is gone is %s", async (_, isExited) => {
  const process = await scene.start("true");
  await endOf(process);
  await until("the real shim's end", async () => (await findTree(process.dir)).keepers.length === 0);
  const carrier = await carrierOf(process);
  if (!isExited) await rm(join(process.dir, "exit"));
  try {
    expect(await stopProcess(process.dir, { reason: "stopped", graceMs: 0 })).toMatchObject({ alive: [] });
    expect(await isRunning(carrier)).toBe(isExited);
  } finally {
    if (await isRunning(carrier)) globalThis.process.kill(carrier, "SIGKILL");
  }
});

/** A process in the group of a shim that has ended, in whose place one of ours is put. */
async function carrierOf({ dir }: RunningProcess): Promise<number> {
  const env = { PATH: process.env["PATH"], HOLDFAST_PROCESS: dir.split("/").at(-1) };
  const shim = spawn("sh", ["-c", "sleep 1000 >&- & echo $!; read line"], { env, detached: true });
  const [said] = await once(shim.stdout, "data");
  const stat = await readStat(shim.pid ?? 0);
  await unlink(join(dir, "shim"));
  await symlink(`${await bootId()} ${shim.pid} ${stat?.start}`, join(dir, "shim"));
  shim.stdin.end();
  await once(shim, "exit");
  return Number(said);
}

test("a process that has the pid of a dead shim is not taken for it, and is not harmed", async () => {
  const bystander = spawn("sleep", ["1000"], { stdio: "ignore" });
  await once(bystander, "spawn");
  const pid = bystander.pid ?? 0;
  try {
    const { start } = parseStat(await readFile(`/proc/${pid}/stat`, "utf8"));
    for (const forged of [`${await bootId()} ${pid} ${Number(start) - 1}`, `another-boot ${pid} ${start}`]) {
      const process = await scene.start("true");
      await endOf(process);
      await until("the real shim's end", async () => (await findTree(process.dir)).keepers.length === 0);
      await rm(join(process.dir, "exit"));
      await unlink(join(process.dir, "shim"));
      await symlink(forged, join(process.dir, "shim"));
      await writeFile(join(process.dir, "job"), `${pid}\n`);
      expect(await adopt(process.dir)).toEqual({ state: "lost" });
      expect(await stopProcess(process.dir, { reason: "stopped", graceMs: 0 })).toMatchObject({
        ended: [],
        alive: [],
      });
      expect(await isRunning(pid)).toBe(true);
    }
  } finally {
    bystander.kill("SIGKILL");
  }
});

test("waiting can be given up without touching the process", async () => {
  const process = await scene.start("sleep 1000");
  const giveUp = new AbortController();
  const waiting = waitExit(process, giveUp.signal);
  giveUp.abort();
  expect(await waiting).toEqual(process);
  expect(await adopt(process.dir)).toMatchObject({ state: "running" });
  await stopProcess(process.dir, { reason: "stopped" });
});

async function adoptRunning(spec: ProcessSpec): Promise<RunningProcess> {
  const state = await adopt(spec.dir);
  if (state.state !== "running") throw new Error(`${spec.id} is ${state.state}`);
  return state;
}

async function timesRun(round: number): Promise<number> {
  const runs = await readFile(join(scene.workspace, "runs"), "utf8").catch(() => ""); // nothing ran yet
  return runs.split("\n").filter((line) => line === String(round)).length;
}

function keptAs({ id, command, cwd }: ProcessSpec) {
  return {
    id,
    command,
    cwd,
    stdin: "null",
    sandboxed: false,
    outputMaxBytes: 1024,
    whenFull: "end",
  } as const;
}
