import { expect, it } from "vitest";
import { manualClock } from "../../test/manual-clock.ts";
import { DraftBeat } from "./draft-beat.ts";

/** Time that passes only when it is told to, and lets what it led to be carried out. */
function stoppedClock() {
  const clock = manualClock(1_000);
  return {
    clock,
    pass: async (ms: number) => {
      clock.advance(ms);
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

it("one who speaks alone is written at once, and again a frame later", async () => {
  const { clock, pass } = stoppedClock();
  const beat = new DraftBeat(clock);
  let written = 0;
  const write = async () => void (written += 1);
  beat.join(write);
  await pass(0);
  expect(written).toBe(1);
  beat.join(write);
  await pass(15);
  expect(written).toBe(1);
  await pass(1);
  expect(written).toBe(2);
});

it("what is said within a beat is written together, without what was taken back", async () => {
  const { clock, pass } = stoppedClock();
  const beat = new DraftBeat(clock);
  const written: string[] = [];
  const leave = ["a", "b", "c"].map((name) => beat.join(async () => void written.push(name)));
  leave[1]?.();
  await pass(0);
  expect(written).toEqual(["a", "c"]);
});

it("the longer it takes to write, the longer the next beat gathers, but never beyond its bound", async () => {
  const { clock, pass } = stoppedClock();
  const beat = new DraftBeat(clock);
  const gathersFor = async (tookMs: number) => {
    const disk = Promise.withResolvers<void>();
    let begun = false;
    beat.join(() => {
      begun = true;
      return disk.promise;
    });
    for (await pass(0); !begun;) await pass(1);
    await pass(tookMs);
    disk.resolve();
    await pass(0);
    let written = false;
    beat.join(async () => void (written = true));
    let waited = tookMs;
    for (; !written; waited++) await pass(1);
    return waited;
  };
  expect(await gathersFor(1)).toBe(16);
  expect(await gathersFor(12)).toBe(24);
  expect(await gathersFor(30)).toBe(40);
});
