import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { markStop } from "./directory.ts";
import { endOf, isRunning, saidBy, taggedPids, until, untilSaid, useScene } from "./scene.ts";
import { adopt } from "./state.ts";
import { stopProcess } from "./stop.ts";
import { findTree } from "./tree.ts";

const scene = useScene();
const AT_ONCE = { reason: "stopped", graceMs: 0 } as const;

test("a command is asked to end and may clean up first", async () => {
  const process = await scene.start(
    "trap 'sleep 0.1; echo cleaned up; exit 3' TERM; echo ready; while :; do sleep 0.05; done",
  );
  await untilSaid(process, "ready");
  const stopped = await stopProcess(process.dir, { reason: "stopped", graceMs: 20_000 });
  expect(stopped.state).toMatchObject({ state: "exited", exit: 3, cause: "stopped" });
  expect(await saidBy(process)).toContain("cleaned up");
  expect(stopped.ended.every(({ signal }) => signal === "SIGTERM")).toBe(true);
});

test("a command is asked once: to many programs a second SIGTERM means at once", async () => {
  const process = await scene.start(
    "trap 'echo asked' TERM; echo ready; for i in 1 2 3 4 5 6 7 8; do sleep 0.05; done; exit 4",
  );
  await untilSaid(process, "ready");
  const stopped = await stopProcess(process.dir, { reason: "stopped", graceMs: 20_000 });
  expect(stopped.state).toMatchObject({ state: "exited", exit: 4 });
  expect((await saidBy(process)).match(/asked/g)).toHaveLength(1);
});

test("a tree that ignores SIGTERM is killed, and it is told what was", async () => {
  const process = await scene.start(
    "trap '' TERM; (sh -c 'while :; do sleep 0.1; done') & echo ready; while :; do sleep 0.1; done",
  );
  await untilSaid(process, "ready");
  const stopped = await stopProcess(process.dir, { reason: "stopped", graceMs: 100 });
  expect(stopped).toMatchObject({ state: { state: "exited", exit: 137, cause: "stopped" }, alive: [] });
  expect(stopped.ended.filter(({ signal }) => signal === "SIGKILL").length).toBeGreaterThanOrEqual(2);
});

test.each([
  ["forks twice and leaves its session", "(setsid sh -c 'setsid sleep 1001 & exit' &)"],
  ["forks twice, leaves its session and closes its output", "(setsid sleep 1001 >/dev/null 2>&1 &)"],
  ["drops its environment and its parent", "(env -i /bin/sleep 1001 >/dev/null 2>&1 &)"],
  [
    "drops its environment, its session and its output, but keeps its parent",
    "setsid env -i /bin/sleep 1001 >/dev/null 2>&1 &",
  ],
  [
    "drops its environment, its parent and its session, but keeps its output",
    "(setsid env -i /bin/sleep 1001 &)",
  ],
])("a descendant that %s is found and ended with the command", async (_, escape) => {
  const process = await scene.start(`${escape}\necho ready; sleep 1000`);
  await untilSaid(process, "ready");
  const sleepers = await until("both sleepers", async () => {
    const members = (await findTree(process.dir)).members.filter(({ name }) => name === "sleep");
    return members.length === 2 && members.map(({ pid }) => pid);
  });
  const stopped = await stopProcess(process.dir, AT_ONCE);
  expect(stopped).toMatchObject({ state: { state: "exited" }, alive: [] });
  expect(stopped.ended.map(({ pid }) => pid)).toEqual(expect.arrayContaining(sleepers));
  for (const pid of sleepers) expect(await isRunning(pid)).toBe(false);
});

test("a descendant that ignores SIGTERM is remembered when all that tied it to the command, its parent, has ended", async () => {
  const stubborn = `setsid env -i /bin/sh -c 'trap "" TERM; while :; do sleep 0.1; done' >/dev/null 2>&1 &`;
  const process = await scene.start(`${stubborn} echo $! ready; sleep 1000`);
  const pid = Number.parseInt(await untilSaid(process, "ready"), 10);
  await until(
    "its trap",
    async () => (await findTree(process.dir)).members.filter(({ name }) => name === "sleep").length === 2,
  );
  const stopped = await stopProcess(process.dir, { reason: "stopped", graceMs: 200 });
  expect(stopped.ended).toContainEqual(expect.objectContaining({ pid, signal: "SIGKILL" }));
  expect(await isRunning(pid)).toBe(false);
});

test("what an exited command left behind is ended too, and its exit stays what it was", async () => {
  const process = await scene.start("setsid sleep 1001 & exit 5");
  expect(await endOf(process)).toMatchObject({ state: "exited", exit: 5, cause: "exit" });
  const stopped = await stopProcess(process.dir, AT_ONCE);
  expect(stopped).toMatchObject({ state: { state: "exited", exit: 5, cause: "exit" }, alive: [] });
  expect(stopped.ended).toMatchObject([{ command: "sleep 1001" }]);
});

test("a command that reads its input for ever ends when it is stopped", async () => {
  const process = await scene.start("echo ready; cat", { stdin: "fifo" });
  await untilSaid(process, "ready");
  const stopped = await stopProcess(process.dir, { reason: "stopped" });
  expect(stopped).toMatchObject({ state: { state: "exited", exit: 143 }, alive: [] });
});

test("a command that is stopped as soon as it is started ends, and nothing starts afterwards", async () => {
  for (let round = 0; round < 5; round++) {
    const process = await scene.start("sleep 1000");
    const stopped = await stopProcess(process.dir, AT_ONCE);
    expect(stopped.alive).toEqual([]);
    expect((await findTree(process.dir)).members).toEqual([]);
    expect(stopped.state.state).not.toBe("running");
  }
});

test("stopping is for one command: its neighbours, other sessions' and the test itself go on", async () => {
  const [one, other] = [await scene.start(["sleep", "1001"]), await scene.start(["sleep", "1002"])];
  const bystander = spawn("sleep", ["1000"], { stdio: "ignore" });
  await once(bystander, "spawn");
  try {
    const stopped = await stopProcess(one.dir, AT_ONCE);
    expect(new Set(stopped.ended.map(({ command }) => command))).not.toContain("sleep 1002");
    expect(stopped).toMatchObject({ state: { state: "exited" }, alive: [] });
    expect(await isRunning(bystander.pid ?? 0)).toBe(true);
    expect(await adopt(other.dir)).toMatchObject({ state: "running" });
  } finally {
    bystander.kill("SIGKILL");
    await stopProcess(other.dir, AT_ONCE);
  }
});

test("the cause is kept even if the server that stops a command dies before it ended", async () => {
  const process = await scene.start("while [ ! -e gate ]; do sleep 0.05; done; exit 8");
  await markStop(process.dir, "timed_out"); // as far as that server came
  await writeFile(join(scene.workspace, "gate"), "");
  expect(await endOf(process)).toMatchObject({ state: "exited", exit: 8, cause: "timed_out" });
});

test("two who stop one command at once both see it ended", async () => {
  const process = await scene.start("trap '' TERM; echo ready; while :; do sleep 0.05; done");
  await untilSaid(process, "ready");
  const both = await Promise.all(
    [1, 2].map(() => stopProcess(process.dir, { reason: "stopped", graceMs: 50 })),
  );
  for (const stopped of both)
    expect(stopped).toMatchObject({ state: { state: "exited", exit: 137 }, alive: [] });
});

test("a tree that forks as fast as it can is ended", async () => {
  const process = await scene.start("trap '' TERM; echo ready; while :; do (sleep 0.02 &) ; done");
  await untilSaid(process, "ready");
  const stopped = await stopProcess(process.dir, AT_ONCE);
  expect(stopped.alive).toEqual([]);
  expect(await taggedPids([process.dir.split("/").at(-1) ?? ""])).toEqual([]);
});
