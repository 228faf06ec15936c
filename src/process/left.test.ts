import { access, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { adoptWhole, hasLeft, leftBy, waitGone } from "./left.ts";
import { endOf, until, useScene } from "./scene.ts";
import { Sampler } from "./sample.ts";
import { adopt, type RunningProcess } from "./state.ts";
import { stopProcess } from "./stop.ts";

const scene = useScene();
const NEVER = new AbortController().signal;

test.each([
  ["that keeps its output", "sleep 313 & exit 7"],
  ["that was sent away from its output", "sleep 313 >/dev/null 2>&1 & exit 7"],
  ["that left its session", "setsid sleep 313 >/dev/null 2>&1 & exit 7"],
])("what a command leaves running %s keeps its process running, until it is gone", async (_, command) => {
  const process = await scene.start(command);
  expect(await endOf(process)).toMatchObject({ state: "exited", exit: 7 });
  const left = await leftBy(process.dir);
  expect(left).toMatchObject([{ command: "sleep 313" }]);
  expect(await adoptWhole(process.dir)).toEqual(process);
  expect(await adopt(process.dir)).toMatchObject({ state: "exited" }); // the command itself has
  const gone = waitGone(process, NEVER);
  globalThis.process.kill(left[0]?.pid ?? 0, "SIGKILL");
  expect(await gone).toMatchObject({ state: "exited", exit: 7, cause: "exit" });
  expect(await adoptWhole(process.dir)).toMatchObject({ state: "exited", exit: 7 });
  expect(await hasLeft(process.dir)).toBe(false);
});

test("it runs as long as the last of what came of it, also of what began when the rest had ended", async () => {
  const gate = join(scene.workspace, "gate");
  const second = `until [ -e ${gate} ]; do sleep 0.05; done; setsid sleep 313 & exit`;
  const process = await scene.start(`sh -c '${second}' >/dev/null 2>&1 & exit 0`);
  await endOf(process);
  expect((await leftBy(process.dir)).map(({ command }) => command)).not.toContain("sleep 313");
  const gone = waitGone(process, NEVER);
  await writeFile(gate, "");
  await until("nothing but what came last", async () => {
    expect(await adoptWhole(process.dir)).toEqual(process);
    return (await leftBy(process.dir)).every(({ command }) => command === "sleep 313");
  });
  await stopProcess(process.dir, { reason: "stopped" });
  expect(await gone).toMatchObject({ state: "exited", exit: 0 });
});

test("it is stopped as any other, and told so with the exit code that the command had", async () => {
  const process = await leaving("sleep 313 & exit 5");
  const stopped = await stopProcess(process.dir, { reason: "stopped" });
  expect(stopped).toMatchObject({ state: { state: "exited", exit: 5, cause: "stopped" }, alive: [] });
  expect(stopped.ended).toMatchObject([{ command: "sleep 313" }]);
  expect(await adoptWhole(process.dir)).toMatchObject({ state: "exited", exit: 5, cause: "stopped" });
});

test("it is measured under the pid of what was left", async () => {
  const process = await leaving("sleep 313 & exit 0");
  const [left] = await leftBy(process.dir);
  const measured = await new Sampler().measure([process], Date.now(), 60_000);
  expect(measured.get(process.dir)).toMatchObject({ pid: left?.pid });
  await stopProcess(process.dir, { reason: "stopped" });
});

test("what ends in the moment after its command was not left, and nothing is looked for again", async () => {
  const process = await scene.start("sleep 0.2 >/dev/null 2>&1 & exit 0");
  await endOf(process);
  expect(await leftBy(process.dir)).toEqual([]);
  expect(await adoptWhole(process.dir)).toMatchObject({ state: "exited", exit: 0 });
  await access(join(process.dir, "left"));
});

test("waiting for it can be given up without touching it", async () => {
  const process = await leaving("sleep 313 & exit 0");
  const over = new AbortController();
  const waiting = waitGone(process, over.signal);
  over.abort();
  expect(await waiting).toEqual(process);
  expect(await leftBy(process.dir)).toHaveLength(1);
  await stopProcess(process.dir, { reason: "stopped" });
});

async function leaving(command: string): Promise<RunningProcess> {
  const process = await scene.start(command);
  await endOf(process);
  expect(await leftBy(process.dir)).toHaveLength(1);
  return process;
}
