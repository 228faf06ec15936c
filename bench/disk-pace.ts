// What the disk alone makes of the pace at which one agent speaks: whoever waits for a commit waits for this at least, and
// takes this much CPU time.
import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { quantile } from "./measure.ts";

/** As much as a commit of a word or two writes. */
const PAGES = Buffer.alloc(2 * 4096, 1);
/** The file grows no further than a journal does. */
const FILE_COMMITS = 100;

export type DiskPace = { p99Ms: number; cpuMsOf1000: number };

/** Writes and syncs so many times a second. */
export async function syncsAtPace(folder: string, syncs: number, perSecond: number): Promise<DiskPace> {
  const file = openSync(join(folder, "pace"), "w");
  try {
    const times: number[] = [];
    let cpuMs = 0;
    for (let n = 0; n < syncs; n++) {
      await delay(1000 / perSecond);
      const [from, cpuFrom] = [performance.now(), process.threadCpuUsage()];
      writeSync(file, PAGES, 0, PAGES.length, (n % FILE_COMMITS) * PAGES.length);
      fsyncSync(file);
      const { user, system } = process.threadCpuUsage(cpuFrom);
      cpuMs += (user + system) / 1000;
      times.push(performance.now() - from);
    }
    return { p99Ms: quantile(times, 0.99), cpuMsOf1000: (cpuMs / syncs) * 1000 };
  } finally {
    closeSync(file);
  }
}
