// The end of a start: from here on the process is one that runs for days.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

export function settleDown(): void {
  collectGarbage();
  setFlagsFromString("--opt"); // what runs from now on runs often; bin/launch.cjs forbade it for the start
}

/** Loading leaves garbage that an idle process would keep for good: 13 of 96 MB, as measured. */
function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as (how: object) => void; // the flag puts it into contexts made after it
  setFlagsFromString("--no-expose-gc"); // what is compiled under other flags does not fit the cache
  collect({ type: "major", flavor: "last-resort" }); // which also gives empty pages back
}
