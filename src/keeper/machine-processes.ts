// The processes of this machine, as far as the keeper deals with them: whether they began, how they ended, and what is
// asked of them. Passed in, so that a simulation can have its own.
import { join } from "node:path";
import type { CommandEnd } from "../executor/commands.ts";
import { readClaim } from "../process/directory.ts";
import { writeInput } from "../process/input.ts";
import { adoptWhole, hasLeft, waitGone } from "../process/left.ts";
import { adopt } from "../process/state.ts";
import { stopProcess, type AskSignal } from "../process/stop.ts";
import type { ProcessRequest } from "../store/store.ts";

export interface MachineProcesses {
  /** Whether anyone has begun with it: to ask for the end of one that is about to begin would keep it from that. */
  isClaimed(process: string): Promise<boolean>;
  /** Whether its command has exited and left something running, for which no call waits any more. */
  hasLeft(process: string): Promise<boolean>;
  /** With all that it left. Undefined when the signal came first. What has not begun by now never will. */
  ended(process: string, signal: AbortSignal): Promise<CommandEnd | undefined>;
  /** `again` when whoever began with it has not said what came of it. */
  carryOut(process: string, wish: ProcessRequest["wish"], again: boolean): Promise<string>;
}

/** Each in its directory under `folder`, which is HOLDFAST_HOME/processes. */
export function machineProcesses(folder: string): MachineProcesses {
  const dirOf = (process: string) => join(folder, process);
  return {
    isClaimed: async (process) => (await readClaim(dirOf(process))) !== undefined,
    hasLeft: (process) => hasLeft(dirOf(process)),
    async ended(process, signal) {
      const found = await adoptWhole(dirOf(process));
      const state = found.state === "running" ? await waitGone(found, signal) : found;
      return state.state === "running" ? undefined : state;
    },
    carryOut: (process, wish, again) =>
      wish.do === "stop" ? stop(dirOf(process), wish.signal) : write(dirOf(process), wish.text, again),
  };
}

async function stop(dir: string, signal: string | undefined): Promise<string> {
  const { alive } = await stopProcess(dir, {
    reason: "stopped",
    ...(signal !== undefined && { signal: signal as AskSignal }), // as the route's schema took it
  });
  return alive.length === 0
    ? "stopped"
    : `could not be stopped: ${alive.map(({ pid, command }) => `pid ${pid} (${command})`).join(", ")}`;
}

/** What was written can't be seen from outside, so it is not written twice. */
async function write(dir: string, text: string, again: boolean): Promise<string> {
  if (again) return "unknown: whoever wrote it died over it; look before you write again";
  const found = await adopt(dir);
  if (found.state !== "running") return "it runs no longer";
  const written = await writeInput(found, text);
  if (written.ok) return "written";
  switch (written.code) {
    case "no_input":
      return "it has no standard input: it was not started with stdin";
    case "ended":
      return "it runs no longer";
    case "full":
      return `it reads no further: ${written.writtenBytes} of ${Buffer.byteLength(text)} bytes were taken`;
  }
}
