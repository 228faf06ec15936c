// A moment at which nobody is disturbed. That little is done is not enough: one agent that speaks takes two hundredths of
// the time, as much as a server that only looks after itself may take, and would wait for whatever is done then.
import { performance } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";

/** Of the time. */
const QUIET_LOAD = 0.02;

export type Quiet = {
  /** Whether an agent is in a turn. */
  isAtWork: () => boolean;
  /** How long it has to have been quiet. */
  forMs: number;
  over: AbortSignal;
};

/** Resolves also when it is over. */
export async function untilQuiet({ isAtWork, forMs, over }: Quiet): Promise<void> {
  while (!over.aborted) {
    const wasAtWork = isAtWork();
    const before = performance.eventLoopUtilization();
    await pause(forMs, over);
    const { utilization } = performance.eventLoopUtilization(before);
    if (!wasAtWork && !isAtWork() && utilization < QUIET_LOAD) return;
  }
}

/** Cut short when it is over; holds no process that has nothing else to do. */
export async function pause(ms: number, over: AbortSignal): Promise<void> {
  await delay(ms, undefined, { ref: false, signal: over }).catch((error: unknown) => {
    if (!over.aborted) throw error;
  });
}
