// A signal for those that were seen, and for nobody who has got their number since.
import { codeOf } from "./directory.ts";
import { readStat } from "./proc-stat.ts";
import type { Row } from "./process-table.ts";

/** A number stays a group's as long as one of its members lives, so one of them is looked at again just before. */
export async function sendSafely(
  group: readonly Pick<Row, "pid" | "start" | "pgrp">[],
  target: number,
  signal: NodeJS.Signals,
): Promise<void> {
  for (const row of group) {
    const now = process.platform === "linux" ? await readStat(row.pid) : row;
    if (now?.start !== row.start || now.pgrp !== row.pgrp) continue;
    try {
      process.kill(target, signal);
    } catch (error) {
      if (codeOf(error) !== "ESRCH" && codeOf(error) !== "EPERM") throw error; // gone meanwhile; or it shows up as alive
    }
    return;
  }
}
