// A disk that fails to sync, which only strace can play.
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { START } from "../../src/session/position.ts";
import { straceFailure } from "../strace-failure.ts";
import { openStore } from "./open-store.ts";

const untraceable = straceFailure("-e", "inject=fsync:error=EIO");

describe.skipIf(untraceable !== undefined)(`a failing sync${untraceable ?? ""}`, () => {
  it("is never tried again: no acknowledgement, not ready, and it says why (invariant 10)", async () => {
    const folder = await mkdtemp(join(tmpdir(), "holdfast-sync-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = join(folder, "holdfast.db");
    const lines = await underFailingSync("60+", "appender.ts", file);
    const acknowledged = lines.filter((line) => /^\d{16}_/.test(line)).map((line) => line.slice(0, 33));
    const failures = lines.filter((line) => line.startsWith("failed "));
    expect(acknowledged.length).toBeGreaterThan(10);
    expect(failures.length).toBeGreaterThanOrEqual(8);
    for (const failure of failures) expect(failure).toMatch(/^failed broken \{"ok":false,"reason":".*"\}$/);
    expect(lines.slice(lines.indexOf(failures[0]!)).filter((line) => /^\d{16}_/.test(line))).toEqual([]);

    const store = await openStore(file);
    const kept = new Set(
      (await store.events("ses_a", START, 100_000)).map(({ position }) => position as string),
    );
    expect(acknowledged.filter((position) => !kept.has(position))).toEqual([]);
    expect(await store.check()).toMatchObject({ damaged: [], problems: [] });
  });

  it.each([
    ["for good, on the main thread", "60+", []],
    ["once, on the main thread", "60", []],
    ["once, on the writer's", "60", ["facts"]],
  ])("is not tried again by either of two writers: %s", async (_, when, args) => {
    const folder = await mkdtemp(join(tmpdir(), "holdfast-sync-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = join(folder, "holdfast.db");
    const lines = await underFailingSync(when, "lone-appender.ts", file, ...args);
    const failedAt = lines.findIndex((line) => line.startsWith("failed"));
    const [acknowledged, failed] = [lines.slice(0, failedAt), lines.slice(failedAt, -1)];
    for (const line of acknowledged) expect(line).toMatch(/^\d{16}_\d{16} \{"ok":true\}$/);
    for (const line of failed) expect(line).toMatch(/^failed broken \{"ok":false,"reason":".*"\}$/);
    expect(failed.length).toBe(2 + args.length); // the one that was on its way, and one afterwards, of either writer
    expect(Number(lines.at(-1)?.replace("alone ", ""))).toBeGreaterThan(0);

    const store = await openStore(file);
    const events = await store.events("ses_a", START, 100_000);
    const kept = new Set(events.map(({ position }) => position as string));
    expect(acknowledged.map((line) => line.slice(0, 33)).filter((position) => !kept.has(position))).toEqual(
      [],
    );
    expect(await store.check()).toMatchObject({ damaged: [], problems: [] });
  });
});

/** All that the process says until it has ended. Syncs are counted for each of its threads. */
async function underFailingSync(when: string, appender: string, ...args: string[]): Promise<string[]> {
  const script = fileURLToPath(new URL(appender, import.meta.url));
  const inject = ["fsync", "fdatasync"].flatMap((call) => ["-e", `inject=${call}:error=EIO:when=${when}`]);
  const child = spawn(
    "strace",
    [
      "-f",
      "-qq",
      "-o",
      "/dev/null",
      "-e",
      "trace=fsync,fdatasync",
      ...inject,
      process.execPath,
      script,
      ...args,
    ],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) lines.push(line);
  return lines;
}
