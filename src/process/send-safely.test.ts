import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { readStat } from "./proc-stat.ts";
import { sendSafely } from "./send-safely.ts";

test("whoever has the number of one that was to be ended, but began at another time, is not harmed", async () => {
  const { row, ended } = await bystander();
  await sendSafely([{ ...row, start: `${Number(row.start) - 1}` }], row.pid, "SIGTERM");
  await sendSafely([row], row.pid, "SIGKILL");
  expect(await ended).toBe("SIGKILL");
});

test("a group is not sent what was meant for it while those that were seen in it have left it", async () => {
  const { row, ended } = await bystander();
  await sendSafely([{ ...row, pgrp: row.pgrp + 1 }], -row.pgrp, "SIGTERM");
  await sendSafely([row], -row.pgrp, "SIGKILL");
  expect(await ended).toBe("SIGKILL");
});

test("a group is sent it once, by whoever of it is still there", async () => {
  const { row, ended } = await bystander();
  const gone = { ...row, pid: 2 ** 22 + 1 }; // a number that no process has
  await sendSafely([gone, row], -row.pgrp, "SIGTERM");
  expect(await ended).toBe("SIGTERM");
});

test("one that is gone meanwhile is no fault", async () => {
  const { row, ended } = await bystander();
  await sendSafely([row], row.pid, "SIGKILL");
  await ended;
  await expect(sendSafely([row], row.pid, "SIGKILL")).resolves.toBeUndefined();
});

/** In a group of its own. The first signal that ends it is what it ended by. */
async function bystander() {
  const child = spawn("sleep", ["1000"], { stdio: "ignore", detached: true });
  onTestFinished(() => void child.kill("SIGKILL"));
  const ended = once(child, "exit").then(([, signal]) => signal as string);
  await once(child, "spawn");
  const stat = await readStat(child.pid ?? 0);
  if (!stat) throw new Error("it is gone");
  return { row: stat, ended };
}
