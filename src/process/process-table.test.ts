import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { parseStat } from "./proc-stat.ts";
import { processTable, tableByPs } from "./process-table.ts";

test("a name with spaces and parentheses does not shift the fields after it", () => {
  const fields = Array.from({ length: 50 }, (_, n) => n + 3).join(" ");
  expect(parseStat(`42 (a) b (c) ${fields.replace(/^3/, "S")}\n`)).toEqual({
    pid: 42,
    name: "a) b (c",
    state: "S",
    ppid: 4,
    pgrp: 5,
    session: 6,
    cpuMs: (14 + 15 + 16 + 17) * 10,
    start: "22",
  });
});

test("ps, which must do where there is no /proc, finds the same processes with the same parents and groups", async () => {
  const child = spawn("sleep", ["1000"], { stdio: "ignore", detached: true });
  await once(child, "spawn");
  try {
    const tables = [await processTable(0), await tableByPs()];
    const [byProc, byPs] = tables.map((table) => table.find(({ pid }) => pid === child.pid));
    expect(byProc).toMatchObject({ name: "sleep", ppid: process.pid, pgrp: child.pid });
    expect(byPs).toMatchObject({ name: "sleep", ppid: process.pid, pgrp: child.pid });
    expect(byPs?.start).toMatch(/^\w{3}_\w{3}_\d+_\d\d:\d\d:\d\d_\d{4}$/);
  } finally {
    child.kill("SIGKILL");
  }
});
