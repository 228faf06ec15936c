// What a batch of events does to the rows of processes, so that an append can write them in its own transaction: a process
// is listed, watched and stopped without reading the log of its session.
import type { FactData, NewEvent } from "./event.ts";

export type ProcessStatus = "running" | "exited" | "stopped" | "lost";

/** Of one process. What begins and ends in the same batch is one change: a statement does not see its own rows. */
export type ProcessChange = {
  process: string;
  started?: ProcessStarted;
  ended?: ProcessEnded;
};
export type ProcessStarted = Omit<FactData<"process_started">, "process"> & { startedAt: string };
export type ProcessEnded = {
  status: Exclude<ProcessStatus, "running">;
  exit: number | null;
  cause: string;
  endedAt: string;
};

export function processChanges(events: readonly NewEvent[], at: string): ProcessChange[] {
  let changes: ProcessChange[] = [];
  for (const event of events) {
    const change = changeBy(event, at);
    if (change) changes = thenProcesses(changes, [change]);
  }
  return changes;
}

/** The changes of two batches that are written as one. A process ends once: the first that ends it counts. */
export function thenProcesses(
  first: readonly ProcessChange[],
  second: readonly ProcessChange[],
): ProcessChange[] {
  const changes = [...first];
  for (const change of second) {
    const at = changes.findIndex(({ process }) => process === change.process);
    const before = changes[at];
    if (before) changes[at] = { ...change, ...before };
    else changes.push(change);
  }
  return changes;
}

function changeBy(event: NewEvent, at: string): ProcessChange | undefined {
  switch (event.type) {
    case "process_started": {
      const { process, ...data } = event.data;
      return { process, started: { ...data, startedAt: at } };
    }
    case "process_exited": {
      const { process, exit, cause } = event.data;
      const status = cause === "stopped" ? "stopped" : "exited";
      return { process, ended: { status, exit, cause, endedAt: at } };
    }
    case "process_stopped": {
      const { process, exit } = event.data;
      return { process, ended: { status: "stopped", exit, cause: "stopped", endedAt: at } };
    }
    case "process_lost":
      return {
        process: event.data.process,
        ended: { status: "lost", exit: null, cause: "lost", endedAt: at },
      };
    default:
      return undefined; // nothing else speaks of processes
  }
}
