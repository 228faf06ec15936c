// Whole worlds, each a function of its seed: several executors on one store, people who send, steer, stop and answer,
// and everything that can go wrong.
//
// One seed, told in full: SIM_SEED=… npx vitest run test/simulation
// More of them: SIM_SEEDS=100000 npx vitest run test/simulation (from SIM_FROM, 1 unless told)
import { describe, expect, it } from "vitest";
import { Reached } from "./reached.ts";
import { FOUND } from "./seeds.ts";
import { simulate } from "./simulate.ts";

const only = process.env["SIM_SEED"];
const from = Number(process.env["SIM_FROM"] ?? 1);
const count = Number(process.env["SIM_SEEDS"] ?? 1000);
const HOURS_MS = 24 * 3600_000;
const TOLD_LINES = 80;

describe.runIf(only !== undefined)("the seed that was asked for", () => {
  it("keeps every promise", { timeout: HOURS_MS }, async () => {
    const { fault, trace } = await simulate(Number(only), true);
    console.log(trace.join("\n"));
    expect(fault).toBeUndefined();
  });
});

describe.runIf(only === undefined)("simulated worlds", () => {
  it("keep every promise, and a thousand of them reach every fault", { timeout: HOURS_MS }, async () => {
    const reached = new Reached();
    for (let seed = from; seed < from + count; seed++) {
      const run = await simulate(seed);
      reached.add(run.reached);
      if (run.fault !== undefined) throw new Error(await story(seed));
    }
    expect(count < 1000 ? [] : reached.missing()).toEqual([]);
  });

  it.each(FOUND)("are still whole in seed %i: %s", async (seed) => {
    const { fault } = await simulate(seed);
    expect(fault === undefined ? "" : await story(seed)).toBe("");
  });

  it("go the same way each time", async () => {
    const [one, other] = [await simulate(7, true), await simulate(7, true)];
    expect(one.trace.length).toBeGreaterThan(100);
    expect(other.trace).toEqual(one.trace);
  });
});

async function story(seed: number): Promise<string> {
  const { fault, trace } = await simulate(seed, true);
  const end = trace
    .slice(
      0,
      trace.findIndex((line) => line.startsWith("--- ")),
    )
    .slice(-TOLD_LINES);
  return [
    `${fault}`,
    "",
    ...end,
    "",
    `All of it, and the logs: SIM_SEED=${seed} npx vitest run test/simulation`,
  ].join("\n");
}
