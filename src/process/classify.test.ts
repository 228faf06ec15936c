import { expect, test } from "vitest";
import { classify, newActivity, observe, SAMPLE_EVERY_MS, type Activity, type Sample } from "./classify.ts";

const MINUTE = 60_000;
const QUIET = 30 * MINUTE;
const START = 1_000_000_000;

test("what uses at least 1 % of a core over the last minute is working", () => {
  const activity = watched(MINUTE, { cpuPerSecondMs: 10 });
  expect(judged(activity)).toMatchObject({
    class: "working",
    why: "used 1.0 % of a core over the last minute",
  });
});

test("what uses less and says nothing is waiting, and stale after the quiet time", () => {
  expect(judged(watched(MINUTE, { cpuPerSecondMs: 9 })).class).toBe("waiting");
  expect(judged(watched(QUIET - MINUTE, {})).class).toBe("waiting");
  expect(judged(watched(QUIET, {}))).toMatchObject({ class: "stale", why: "last busy 30 minutes ago" });
});

test("output within five minutes is work, before and after that it is not", () => {
  const spoke = watched(MINUTE, { outputBytes: 10 });
  expect(judged(spoke)).toMatchObject({ class: "working", why: "last output less than a minute ago" });
  expect(judged(watched(4 * MINUTE, {}, spoke)).class).toBe("working");
  expect(judged(watched(5 * MINUTE, {}, spoke)).class).toBe("waiting");
});

test("quiet counts from the last work, not from the start", () => {
  const worked = watched(MINUTE, { cpuPerSecondMs: 500 }, watched(QUIET, {}));
  expect(judged(watched(QUIET - 2 * MINUTE, {}, worked)).class).toBe("waiting");
  expect(judged(watched(QUIET + 2 * MINUTE, {}, worked)).class).toBe("stale");
});

test("what listens and uses under 5 % is a service however quiet; above that it is working", () => {
  const service = watched(2 * QUIET, { ports: [8000] });
  expect(judged(service)).toMatchObject({
    class: "service",
    why: "listens on 8000 and used 0.0 % of a core over the last minute",
  });
  expect(judged(watched(MINUTE, { ports: [8000], cpuPerSecondMs: 49 })).class).toBe("service");
  expect(judged(watched(MINUTE, { ports: [8000], cpuPerSecondMs: 50 })).class).toBe("working");
});

test("a burst counts for a minute and no longer", () => {
  const burst = watched(SAMPLE_EVERY_MS, { cpuPerSecondMs: 1000 }, watched(MINUTE, {}));
  expect(judged(watched(MINUTE - 2 * SAMPLE_EVERY_MS, {}, burst)).class).toBe("working");
  expect(judged(watched(MINUTE + SAMPLE_EVERY_MS, {}, burst)).class).toBe("waiting");
});

test("what could not be measured twice is waiting", () => {
  const never = newActivity(START, null);
  expect(classify(never, START + 2 * QUIET, QUIET)).toEqual({
    class: "waiting",
    why: "not yet measured",
    cpu: null,
  });
  const once = observe(never, sample(START, {}));
  expect(classify(once, START + 2 * QUIET, QUIET).class).toBe("waiting");
});

test("an orphan that takes its count with it does not hide the work of the others", () => {
  const samples = [0, 5, 10].map((second) =>
    sample(START + second * 1000, { cpuMs: second === 10 ? 600 : 1000 + 100 * second }),
  );
  const activity = samples.reduce(observe, newActivity(START, null));
  expect(classify(activity, START + 10_000, QUIET)).toMatchObject({ class: "working", cpu: 0.05 });
});

test("only the last minute is remembered", () => {
  expect(watched(QUIET, {}).samples.length).toBeLessThanOrEqual(MINUTE / SAMPLE_EVERY_MS + 1);
});

type Rate = { cpuPerSecondMs?: number; outputBytes?: number; ports?: number[] };

/** Sampled every five seconds for that long, at this rate. */
function watched(forMs: number, rate: Rate, before?: Activity): Activity {
  let activity =
    before ?? observe(newActivity(START, null), sample(START, rate.ports ? { ports: rate.ports } : {}));
  const from = activity.samples.at(-1) ?? sample(START, {});
  for (let ms = SAMPLE_EVERY_MS; ms <= forMs; ms += SAMPLE_EVERY_MS)
    activity = observe(activity, {
      ...from,
      atMs: from.atMs + ms,
      cpuMs: from.cpuMs + ((rate.cpuPerSecondMs ?? 0) * ms) / 1000,
      outputBytes: from.outputBytes + (rate.outputBytes === undefined ? 0 : ms),
      ports: rate.ports ?? [],
    });
  return activity;
}

function judged(activity: Activity) {
  return classify(activity, activity.samples.at(-1)?.atMs ?? START, QUIET);
}

function sample(atMs: number, known: Partial<Sample>): Sample {
  return { atMs, cpuMs: 0, outputBytes: 0, ports: [], memoryBytes: 0, ...known };
}
