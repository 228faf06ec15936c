// What became of a process, from its directory and the operating system alone.
import {
  giveUp,
  has,
  makeDirectory,
  outputBytes,
  readClaim,
  readExit,
  readSpec,
  readStop,
  type Claim,
  type ExitRecord,
  type KeptSpec,
} from "./directory.ts";
import { bootId, isAlive, type Identity } from "./identity.ts";
import { looks } from "./looks.ts";

export type RunningProcess = { state: "running"; dir: string; shim: Identity };

export type EndedProcess =
  | { state: "exited"; exit: number; cause: ExitCause; endedAt: string }
  /** The shim is gone and left no exit code. What it ran may still be there: stopProcess ends it. */
  | { state: "lost" }
  /** The command has not run and never will under this id. */
  | { state: "unstarted" };

/** `signal` means a code over 128, by which shells tell it; `unwritable` that the disk took no more output. */
export type ExitCause = "exit" | "signal" | "stopped" | "timed_out" | "output_limit" | "unwritable";

export type ProcessState = RunningProcess | EndedProcess;

/**
 * Takes over what another server started. What was committed but has no shim yet is given up first, so that the
 * answer `unstarted` stays true even if that other server was only slow.
 */
export async function adopt(dir: string): Promise<ProcessState> {
  await makeDirectory(dir);
  if ((await readClaim(dir)) === undefined) await giveUp(dir, (await mayHaveRun(dir)) ? "lost" : "unstarted");
  const claim = await readClaim(dir);
  if (claim === undefined) throw new Error(`${dir} lost its claim while it was adopted`);
  return stateUnder(claim, dir);
}

/** Resolves with the end, or with `running` once the signal says not to wait any more. */
export async function waitExit(process: RunningProcess, signal: AbortSignal): Promise<ProcessState> {
  for await (const _ of looks(process.dir, signal)) {
    const state = await stateOf(process);
    if (state.state !== "running") return state;
  }
  return process;
}

export function stateOf(process: RunningProcess): Promise<ProcessState> {
  return stateUnder(process.shim, process.dir);
}

async function stateUnder(claim: Claim, dir: string): Promise<ProcessState> {
  if (claim === "unstarted" || claim === "lost") return { state: claim };
  const before = await readExit(dir);
  if (before !== undefined) return exited(dir, before);
  if (await isAlive(claim)) return { state: "running", dir, shim: claim };
  const after = await readExit(dir); // it may have ended well between the two looks
  return after === undefined ? { state: "lost" } : exited(dir, after);
}

/** After a power loss a missing claim proves nothing: it may not have reached the disk. A missing spec does. */
async function mayHaveRun(dir: string): Promise<boolean> {
  const spec = await readSpec(dir);
  return spec !== undefined && spec.boot !== (await bootId());
}

async function exited(dir: string, record: ExitRecord): Promise<EndedProcess> {
  await outputIsWhole(dir, record);
  return {
    state: "exited",
    exit: record.code,
    cause: await causeOf(dir, record.code),
    endedAt: new Date(record.atMs).toISOString(),
  };
}

/** How long output may still be on its way after the exit, when something that the command left behind holds it open. */
const DRAIN_MS = 2000;

async function outputIsWhole(dir: string, record: ExitRecord): Promise<void> {
  if (Date.now() - record.atMs > DRAIN_MS || (await has(dir, "closed"))) return;
  for await (const _ of looks(dir, AbortSignal.timeout(DRAIN_MS))) if (await has(dir, "closed")) return;
}

async function causeOf(dir: string, code: number): Promise<ExitCause> {
  const stop = await readStop(dir);
  if (stop !== undefined) return stop;
  const spec = await readSpec(dir);
  if (spec?.whenFull === "end" && (await has(dir, "cut"))) return await whyCut(dir, spec);
  return code > 128 ? "signal" : "exit";
}

async function whyCut(dir: string, spec: KeptSpec): Promise<"output_limit" | "unwritable"> {
  return (await outputBytes(dir)) >= spec.outputMaxBytes ? "output_limit" : "unwritable";
}
