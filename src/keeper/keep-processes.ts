// What watches over the processes of this machine, put together: their ends are told, what is asked of them is done, how
// they are doing is measured.
import { join } from "node:path";
import type { Settings } from "../config/settings.ts";
import { wallClock } from "../executor/clock.ts";
import { SAMPLE_EVERY_MS } from "../process/classify.ts";
import { hasLeft } from "../process/left.ts";
import type { Measured } from "../process/sample.ts";
import { readOutput, type Output } from "../process/output.ts";
import type { Secrets } from "../secret/secrets.ts";
import type { Store } from "../store/store.ts";
import { processTool } from "../tool/process.ts";
import type { Tool } from "../tool/tool.ts";
import { machineProcesses } from "./machine-processes.ts";
import { ProcessEnds } from "./process-ends.ts";
import { ProcessRequests } from "./process-requests.ts";
import { ProcessSamples } from "./process-samples.ts";
import { sessionProcesses } from "./session-processes.ts";

const POLL_MS = 1_000;

/** What only the machine knows that a process runs on. */
export type LiveProcesses = {
  host: string;
  measured(process: string): Measured | undefined;
  hasLeft(process: string): Promise<boolean>;
  output(process: string, from: number, limit: number): Promise<Output>;
};

export type ProcessKeeper = {
  ends: ProcessEnds;
  tool: Tool;
  live: LiveProcesses;
  start(): void;
  stop(): Promise<void>;
};

export function keepProcesses({
  settings: { home, hostId: host, config },
  store,
  secrets: { mask },
  log,
}: {
  settings: Settings;
  store: Store;
  secrets: Secrets;
  log: { error(detail: object, message: string): void };
}): ProcessKeeper {
  const folder = join(home, "processes");
  const quietMs = config.reset.quietMinutes * 60_000;
  const processes = machineProcesses(folder);
  const clock = wallClock;
  const ends = new ProcessEnds({ store, host, processes, clock, sweepMs: SAMPLE_EVERY_MS, log });
  const requests = new ProcessRequests({ store, processes, clock, pollMs: POLL_MS, log });
  const samples = new ProcessSamples({ store, host, folder, everyMs: SAMPLE_EVERY_MS, quietMs, log });
  const services = [ends, requests, samples];
  return {
    ends,
    tool: processTool(sessionProcesses({ store, folder, samples, mask })) as Tool,
    live: {
      host,
      measured: (process) => samples.of(process),
      hasLeft: (process) => hasLeft(join(folder, process)),
      output: (process, from, limit) => readOutput(join(folder, process), mask, from, limit),
    },
    start() {
      for (const service of services) service.start();
    },
    async stop() {
      await Promise.all(services.map((service) => service.stop()));
    },
  };
}
