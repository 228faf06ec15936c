import { expect, test } from "vitest";
import { writeInput } from "./input.ts";
import { Sampler, type Measured } from "./sample.ts";
import { untilSaid, until, useScene } from "./scene.ts";
import type { RunningProcess } from "./state.ts";
import { stopProcess } from "./stop.ts";

const scene = useScene();
const QUIET_MS = 30 * 60_000;

test("the port that a descendant listens on makes the command a service", async () => {
  const process = await scene.start(["sh", "-c", 'node -e "$1"; exit', "sh", LISTENER]);
  const port = Number(/port (\d+)/.exec(await untilSaid(process, "port "))?.[1]);
  await untilSaid(process, "\n");
  const sampler = new Sampler();
  const now = Date.now();
  expect((await measure(sampler, process, now)).class).toBe("waiting"); // one sample tells no rate
  // Sampled much later than it really is, so that starting up is no longer the last minute's work.
  const measured = await measure(sampler, process, now + 60 * 60_000);
  expect(measured).toMatchObject({ class: "service", ports: [port], pid: expect.any(Number) });
  expect(measured.memoryBytes).toBeGreaterThan(1_000_000);
  await stopProcess(process.dir, { reason: "stopped", graceMs: 0 });
});

test("the processor time of descendants counts, also of those that have ended", async () => {
  const process = await scene.start(
    "while :; do sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done'; done",
  );
  const sampler = new Sampler();
  await measure(sampler, process, 0);
  const busy = await until("a share of a core", async () => {
    const measured = await measure(sampler, process, 1000);
    return (measured.cpu ?? 0) > 0.1 && measured;
  });
  expect(busy.class).toBe("working");
  await stopProcess(process.dir, { reason: "stopped", graceMs: 0 });
});

test("a command that sleeps waits, and its output makes it work", async () => {
  const process = await scene.start("sleep 1000; echo", { stdin: "fifo" });
  const speaking = await scene.start("read line; echo $line; sleep 1000", { stdin: "fifo" });
  const sampler = new Sampler();
  await sampler.measure([process, speaking], 0, QUIET_MS);
  await writeInput(speaking, "word\n");
  await untilSaid(speaking, "word");
  const measured = await sampler.measure([process, speaking], 60_000, QUIET_MS);
  expect(measured.get(process.dir)?.class).toBe("waiting");
  expect(measured.get(speaking.dir)).toMatchObject({
    class: "working",
    why: expect.stringContaining("output"),
  });
  for (const { dir } of [process, speaking]) await stopProcess(dir, { reason: "stopped", graceMs: 0 });
});

const LISTENER =
  "const s = require('net').createServer().listen(0, '127.0.0.1', () => console.log('port ' + s.address().port))";

async function measure(sampler: Sampler, process: RunningProcess, nowMs: number): Promise<Measured> {
  const measured = (await sampler.measure([process], nowMs, QUIET_MS)).get(process.dir);
  if (measured === undefined) throw new Error("not measured");
  return measured;
}
