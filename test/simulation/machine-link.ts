// How a node's keeper reaches the processes: as its executor does.
import type { Commands } from "../../src/executor/commands.ts";
import type { MachineProcesses } from "../../src/keeper/machine-processes.ts";
import { DiskFault } from "./faults.ts";
import type { ProcessTable } from "./process-table.ts";
import type { Life, World } from "./world.ts";

export function machineLink(
  { world, table }: { world: World; table: ProcessTable },
  life: Life,
  commands: Commands,
): MachineProcesses {
  return {
    isClaimed: (process) =>
      new Promise((resolve) => {
        world.soon(life, `${process} is looked for`, () => {
          const state = table.get(process)?.state;
          resolve(state !== undefined && state !== "taken");
        });
      }),
    hasLeft: () => Promise.resolve(false), // commands here are what they are, without children
    ended: (process, signal) => commands.finished(process, signal),
    async carryOut(process) {
      try {
        await commands.stop(process, "stopped"); // nothing else is ever asked for
        return "stopped";
      } catch (error) {
        if (error instanceof DiskFault) throw error;
        return "could not be stopped";
      }
    },
  };
}
