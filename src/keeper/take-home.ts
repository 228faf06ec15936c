// A missing directory proves that a command never began only in the home that it was to begin in. A restored backup, or a
// database that is served from a new home, knows of commands that began elsewhere: those are lost, and never run again.
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { codeOf, giveUpUntold, readClaim, readSpec, readText } from "../process/directory.ts";
import { isAlive } from "../process/identity.ts";
import type { Store } from "../store/store.ts";
import { runningProcesses } from "./running-processes.ts";

export type TakeHomeOptions = {
  store: Pick<Store, "id" | "process" | "processes">;
  host: string;
  /** HOLDFAST_HOME/processes */
  folder: string;
  log: { warn(detail: object, message: string): void };
};

/**
 * Before anything is gone on with. What the store says to run when it first comes to this home was begun under another, or
 * before homes said whose they are; what begins later begins here.
 */
export async function takeHome({ store, host, folder, log }: TakeHomeOptions): Promise<void> {
  const file = join(folder, "store");
  if ((await readText(file))?.trim() === store.id) return;
  for await (const { id } of runningProcesses(store, host)) await giveUpUntold(join(folder, id));
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await tellUnknown(store, folder, log);
  try {
    await writeFile(file, `${store.id}\n`, { mode: 0o600 });
  } catch (error) {
    if (codeOf(error) !== "ENOSPC" && codeOf(error) !== "EDQUOT") throw error;
    log.warn({ file }, "not written at the start: the disk is full"); // the next start does it all again
  }
}

/**
 * What began here for another store, as for this one before a backup was restored in its place. It is let run, since that
 * store may come back; but nobody sees it meanwhile unless it is told here.
 */
async function tellUnknown(
  store: TakeHomeOptions["store"],
  folder: string,
  log: TakeHomeOptions["log"],
): Promise<void> {
  for (const process of (await readdir(folder)).filter((name) => name.startsWith("prc_"))) {
    const claim = await readClaim(join(folder, process));
    if (typeof claim !== "object" || !(await isAlive(claim)) || (await store.process(process))) continue;
    const command = (await readSpec(join(folder, process)))?.command;
    log.warn({ process, pid: claim.pid, command }, "a process runs that this store knows nothing of");
  }
}
