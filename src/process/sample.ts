// Measures the whole trees of many processes in one pass over the process table, and judges them.
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { classify, newActivity, observe, type Activity, type Judgement, type Sample } from "./classify.ts";
import { missing, outputBytes } from "./directory.ts";
import { portReader } from "./listening.ts";
import { ofOthers, processTable, type Row } from "./process-table.ts";
import type { RunningProcess } from "./state.ts";
import { firstTick, markOf, treeIn } from "./tree.ts";

export type Measured = Judgement & {
  /** Of the command itself once it has begun, or of what it left running. */
  pid: number | null;
  ports: readonly number[];
  memoryBytes: number | null;
};

/** Remembers what it saw; whoever owns it calls `measure` every SAMPLE_EVERY_MS with all that runs. */
export class Sampler {
  #activities = new Map<string, Activity>();

  /** By directory. What can't be sampled is `waiting`. */
  async measure(
    running: readonly RunningProcess[],
    nowMs: number,
    quietMs: number,
  ): Promise<Map<string, Measured>> {
    const marks = await Promise.all(running.map(async ({ dir }) => ({ dir, mark: await markOf(dir) })));
    const since = Math.min(...marks.map(({ mark }) => (mark === undefined ? Infinity : firstTick(mark))));
    const table = since === Infinity ? [] : await processTable(since);
    const portsOf = portReader();
    const activities = new Map<string, Activity>();
    const measured = new Map<string, Measured>();
    for (const { dir, mark } of marks) {
      if (mark === undefined) continue;
      const members = treeIn(table, mark).members;
      const before = this.#activities.get(dir) ?? (await knownFromFiles(dir));
      const sample = await sampleOf(dir, members, portsOf, nowMs);
      const activity = sample === undefined ? before : observe(before, sample);
      activities.set(dir, activity);
      measured.set(dir, {
        ...classify(activity, nowMs, quietMs),
        // Once the command has exited, of the first of what it left.
        pid: members.some(({ pid }) => pid === mark.job) ? mark.job : (members[0]?.pid ?? mark.job),
        ports: sample?.ports ?? [],
        memoryBytes: sample?.memoryBytes ?? null,
      });
    }
    this.#activities = activities; // those that ended are forgotten
    return measured;
  }
}

async function sampleOf(
  dir: string,
  members: readonly Row[],
  portsOf: ReturnType<typeof portReader>,
  atMs: number,
): Promise<Sample | undefined> {
  if (members.some(({ cpuMs }) => cpuMs === null)) return undefined;
  const pids = members.map(({ pid }) => pid);
  const memory = await Promise.all(pids.map(residentBytes));
  return {
    atMs,
    cpuMs: members.reduce((sum, { cpuMs }) => sum + (cpuMs ?? 0), 0),
    outputBytes: await outputBytes(dir),
    ports: await portsOf(pids),
    memoryBytes: memory.reduce((sum, bytes) => sum + bytes, 0),
  };
}

/** The file is made when the command begins, so an empty one tells nothing. */
async function knownFromFiles(dir: string): Promise<Activity> {
  const output = await missing(stat(join(dir, "output")));
  const spec = await stat(join(dir, "spec.json"));
  return newActivity(spec.mtimeMs, output === undefined || output.size === 0 ? null : output.mtimeMs);
}

async function residentBytes(pid: number): Promise<number> {
  const status = await ofOthers(readFile(`/proc/${pid}/status`, "utf8"));
  return 1024 * Number(/^VmRSS:\s+(\d+) kB/m.exec(status ?? "")?.[1] ?? 0);
}
