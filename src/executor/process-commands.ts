// Commands as real processes, each in its directory under HOLDFAST_HOME/processes.
import { join } from "node:path";
import { headTail } from "../process/head-tail.ts";
import { leftBy } from "../process/left.ts";
import { follow } from "../process/output.ts";
import type { ByteMask } from "../secret/mask.ts";
import type { SandboxPlan } from "../process/sandbox.ts";
import type { Spawner } from "../process/spawner.ts";
import { startProcess } from "../process/start.ts";
import { adopt, waitExit, type ProcessState } from "../process/state.ts";
import { stopProcess } from "../process/stop.ts";
import type { CommandEnd, Commands, CommandStart, CommandState } from "./commands.ts";

/** What a model is shown of an output: enough to judge by, small enough to afford. */
const SHOWN = { headBytes: 8 * 1024, tailBytes: 24 * 1024 };

export type ProcessCommandsOptions = {
  /** HOLDFAST_HOME/processes */
  folder: string;
  spawner: Spawner;
  env: (command: CommandStart) => Record<string, string>;
  /** Undefined: it runs without one, which a person was asked about. Refused: its profile wants one that is not there. */
  sandbox: (command: CommandStart) => SandboxPlan | { refused: string } | undefined;
  /** Over what they say. */
  mask: ByteMask;
};

export function processCommands({ folder, spawner, env, sandbox, mask }: ProcessCommandsOptions): Commands {
  const dirOf = (process: string) => join(folder, process);
  return {
    async start(command) {
      const plan = sandbox(command);
      if (plan && "refused" in plan) return { ok: false, reason: plan.refused };
      const started = await startProcess(
        {
          id: command.process,
          dir: dirOf(command.process),
          command: command.command,
          cwd: command.cwd,
          env: env(command),
          ...(command.background && { whenFull: "discard" as const }),
          ...(command.stdin && { stdin: "fifo" as const }),
          ...(plan && { sandbox: plan }),
        },
        spawner,
      );
      return started.ok ? { ok: true } : { ok: false, reason: started.reason };
    },
    async find(process) {
      return stateOf(await adopt(dirOf(process)));
    },
    async finished(process, signal) {
      const found = await adopt(dirOf(process));
      const state = found.state === "running" ? await waitExit(found, signal) : found;
      if (state.state !== "exited") return state.state === "running" ? undefined : endOf(state);
      return { ...endOf(state), left: await leftBy(dirOf(process)) };
    },
    async *follow(process, signal) {
      const found = await adopt(dirOf(process));
      if (found.state !== "running") return; // its whole output is in its result
      for await (const { text } of follow(found, mask, 0, signal)) yield text;
    },
    async result(process) {
      return (await headTail(dirOf(process), mask, process, SHOWN)).text;
    },
    async stop(process, reason) {
      const { alive } = await stopProcess(dirOf(process), { reason });
      if (alive.length > 0)
        throw new Error(
          `${process} could not be stopped: pids ${alive.map(({ pid }) => pid).join(", ")} are still there`,
        );
    },
  };
}

function stateOf(state: ProcessState): CommandState {
  return state.state === "running" ? { state: "running" } : endOf(state);
}

function endOf(state: Exclude<ProcessState, { state: "running" }>): CommandEnd {
  return state.state === "exited" ? { state: "exited", exit: state.exit, cause: state.cause } : state;
}
