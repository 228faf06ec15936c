// What a command left running when it exited. It stays under the command's own id, for whoever lists, measures and stops
// processes. The directory names it in `left`, so that a look asks after those few, and not after all processes there are.
import { randomUUID } from "node:crypto";
import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { readClaim, readSpec, readText } from "./directory.ts";
import { bootId, isAlive, type Identity } from "./identity.ts";
import { looks } from "./looks.ts";
import { commandOf, type Row } from "./process-table.ts";
import { adopt, waitExit, type ProcessState, type RunningProcess } from "./state.ts";
import { findTree } from "./tree.ts";

export type LeftProcess = Identity & { command: string };

/** What ends with the command may take a moment longer than its shell. */
const SETTLE_MS = 500;
const BETWEEN_LOOKS_MS = 10;
/** As in stop.ts: one look may miss what is in the middle of exec. */
const CLEAN_LOOKS = 2;
/** When all that are named have gone, the rest is looked for anew. */
const NAMED_MAX = 20;

/** As `adopt`, but it runs as long as anything that it left does. */
export async function adoptWhole(dir: string): Promise<ProcessState> {
  const state = await adopt(dir);
  if (state.state !== "exited" || (await leftBy(dir)).length === 0) return state;
  const shim = await readClaim(dir);
  if (typeof shim !== "object") throw new Error(`${dir} has an exit that no shim wrote`);
  return { state: "running", dir, shim };
}

/** As `waitExit`, but until nothing is left. */
export async function waitGone(process: RunningProcess, signal: AbortSignal): Promise<ProcessState> {
  const end = await waitExit(process, signal);
  if (end.state !== "exited") return end;
  for await (const _ of looks(process.dir, signal))
    if ((await leftBy(process.dir)).length === 0) return adopt(process.dir); // which knows of a stop that came since
  return process;
}

/** For a command that has exited: what of it still lives. Once there is nothing, there is nothing for good. */
export async function leftBy(dir: string): Promise<LeftProcess[]> {
  const named = await readLeft(dir);
  if (named?.length === 0) return [];
  const alive = await living(named ?? []);
  if (alive.length > 0) return alive;
  if ((await readSpec(dir))?.sandboxed) return []; // the sandbox went down with it, and all that was inside
  const found = await settled(dir);
  await writeLeft(dir, found);
  return found;
}

/** Whether it was found to have left something, at the last look. */
export async function hasLeft(dir: string): Promise<boolean> {
  return ((await readLeft(dir)) ?? []).length > 0;
}

async function settled(dir: string): Promise<LeftProcess[]> {
  const begun = performance.now();
  for (let clean = 0; ; await delay(BETWEEN_LOOKS_MS)) {
    const { members } = await findTree(dir);
    clean = members.length === 0 ? clean + 1 : 0;
    if (clean === CLEAN_LOOKS) return [];
    if (members.length > 0 && performance.now() - begun > SETTLE_MS)
      return Promise.all(members.slice(0, NAMED_MAX).map(named));
  }
}

async function named(row: Row): Promise<LeftProcess> {
  return { boot: await bootId(), pid: row.pid, start: row.start, command: await commandOf(row) };
}

async function living(processes: readonly LeftProcess[]): Promise<LeftProcess[]> {
  const alive = await Promise.all(processes.map(isAlive));
  return processes.filter((_, i) => alive[i]);
}

async function readLeft(dir: string): Promise<LeftProcess[] | undefined> {
  const text = await readText(join(dir, "left"));
  if (text === undefined) return undefined;
  return text === "" ? [] : (JSON.parse(text) as LeftProcess[]); // as writeLeft wrote it; empty after a loss of power
}

/** By rename under a name of its own, because executor and keeper may look at the same moment. */
async function writeLeft(dir: string, left: readonly LeftProcess[]): Promise<void> {
  const part = join(dir, `left.${randomUUID()}.tmp`);
  await writeFile(part, `${JSON.stringify(left)}\n`, { mode: 0o600 });
  await rename(part, join(dir, "left"));
}
