import { runInNewContext } from "node:vm";

/** In this thread. The flag --expose-gc puts `gc` into contexts that are made while it is set. */
export function collectGarbage(): void {
  const collect = runInNewContext("gc") as (how: object) => void;
  collect({ type: "major", flavor: "last-resort" }); // which also gives empty pages back
}
