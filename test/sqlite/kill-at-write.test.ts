// Fault 1 and 12 of proof.md: kill -9 at the Nth write and the Nth sync of a store that begins on an empty disk, the
// first of which are its migrations. Only strace can strike there.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { formatPosition, START } from "../../src/session/position.ts";
import { straceFailure } from "../strace-failure.ts";
import { makeFolder, openStore } from "./open-store.ts";

const untraceable = straceFailure("-e", "inject=fsync:error=EIO");
const WRITES = [1, 2, 5, 10, 20, 40, 60, 80, 120, 200];
const SYNCS = [1, 2, 3, 5, 10, 20, 40];
const STRIKES = [
  ...WRITES.map((when) => ["pwrite64", when] as const),
  ...SYNCS.map((when) => ["fsync", when] as const),
];

describe.skipIf(untraceable !== undefined)(`a kill within a write${untraceable ?? ""}`, () => {
  it(
    "leaves a store that opens, whole, with every append that was acknowledged",
    { timeout: 240_000 },
    async () => {
      let [beforeOpen, acknowledged] = [0, 0];
      for (const [call, when] of STRIKES) {
        const file = join(makeFolder(), "holdfast.db");
        const { lines, signal } = await struckAt(file, call, when);
        expect(signal, `${call} ${when} was never reached`).toBe("SIGKILL");
        const positions = lines.filter((line) => /^\d{16}_/.test(line)).map((line) => line.slice(0, 33));
        beforeOpen += Number(lines.length === 0);
        acknowledged += positions.length;

        const store = await openStore(file);
        const facts = await store.events("ses_a", START, 100_000, "facts");
        expect(facts.map(({ position }) => position)).toEqual(facts.map((_, n) => formatPosition(n + 1, 0)));
        const kept = new Set(facts.map(({ position }) => position as string));
        expect(positions.filter((position) => !kept.has(position))).toEqual([]);
        expect(await store.check(), `${call} ${when}`).toMatchObject({ damaged: [], problems: [] });
        await store.close();
      }
      expect(beforeOpen).toBeGreaterThan(3); // within the migrations
      expect(acknowledged).toBeGreaterThan(20);
    },
  );
});

/** All that the appender said before it was killed. */
async function struckAt(file: string, call: string, when: number) {
  const script = fileURLToPath(new URL("appender.ts", import.meta.url));
  const inject = `inject=${call}:signal=SIGKILL:when=${when}`;
  const child = spawn(
    "strace",
    ["-f", "-qq", "-o", "/dev/null", "-e", `trace=${call}`, "-e", inject, process.execPath, script, file],
    { stdio: ["ignore", "pipe", "inherit"], timeout: 20_000 }, // one that is never struck would append for ever
  );
  const ended = new Promise<string | null>((resolve) => child.once("exit", (_, by) => resolve(by)));
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) lines.push(line);
  return { lines, signal: await ended };
}
