// The end of a start: from here on the process is one that runs for days.
import { setFlagsFromString } from "node:v8";
import { collectGarbage } from "./store/sqlite/collect-garbage.ts";
import type { Store } from "./store/store.ts";
import { pause, untilQuiet } from "./until-quiet.ts";

/**
 * How much garbage may lie beside what is alive, in percent of it, before all of it is gone through. A process that keeps
 * a little of what it hears seems to V8 to have time for that every two seconds, and whoever speaks then waits: for 25 to
 * 40 ms, while 50 turns ran.
 */
const GARBAGE_PERCENT = 200;
const START_MS = 1_000;
const QUIET_MS = 1_500;
/** V8's own: how many collections code has to miss before it is thrown away. */
const USUAL_AGE = 6;

export type Settling = {
  store: Pick<Store, "settle">;
  /** Whether an agent is in a turn: it should neither wait for us nor compile again. */
  isAtWork: () => boolean;
  over: AbortSignal;
};

export async function settleDown({ store, isAtWork, over }: Settling): Promise<void> {
  const quiet = { isAtWork, forMs: QUIET_MS, over };
  await pause(START_MS, over);
  if (over.aborted) return;
  setFlagsFromString(`--heap-growing-percent=${GARBAGE_PERCENT}`);
  setFlagsFromString("--opt"); // what runs from now on runs often; bin/launch.cjs forbade it for the start
  await untilQuiet(quiet);
  if (over.aborted) return;
  // Loading leaves garbage that an idle process would keep for good: 13 of 96 MB, as measured. Not before it is quiet:
  // turns that go on after a restart would wait for it, 70 ms with one of them.
  await collect(store);
  await untilQuiet(quiet);
  if (over.aborted) return;
  // So does what ran at the start alone: 2 MB of code that has not run since the last collection.
  setFlagsFromString("--bytecode-old-age=1");
  setFlagsFromString("--flush-baseline-code");
  try {
    await collect(store);
  } finally {
    setFlagsFromString(`--bytecode-old-age=${USUAL_AGE}`);
    setFlagsFromString("--no-flush-baseline-code");
  }
}

async function collect(store: Pick<Store, "settle">): Promise<void> {
  setFlagsFromString("--expose-gc"); // of the whole process, and only this thread may set it
  try {
    await store.settle();
    collectGarbage();
  } finally {
    setFlagsFromString("--no-expose-gc"); // what is compiled under other flags does not fit the cache
  }
}
