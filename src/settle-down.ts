// The end of a start: from here on the process is one that runs for days.
import { setFlagsFromString } from "node:v8";
import { collectGarbage } from "./store/sqlite/collect-garbage.ts";
import type { Store } from "./store/store.ts";

/**
 * How much garbage may lie beside what is alive, in percent of it, before all of it is gone through. A process that keeps
 * a little of what it hears seems to V8 to have time for that every two seconds, and whoever speaks then waits: for 25 to
 * 40 ms, while 50 turns ran.
 */
const GARBAGE_PERCENT = 200;

/** Loading leaves garbage that an idle process would keep for good: 13 of 96 MB, as measured. */
export async function settleDown(store: Pick<Store, "settle">): Promise<void> {
  setFlagsFromString(`--heap-growing-percent=${GARBAGE_PERCENT}`);
  setFlagsFromString("--expose-gc"); // of the whole process, and only this thread may set it
  try {
    await store.settle();
    collectGarbage();
  } finally {
    setFlagsFromString("--no-expose-gc"); // what is compiled under other flags does not fit the cache
    setFlagsFromString("--opt"); // what runs from now on runs often; bin/launch.cjs forbade it for the start
  }
}
