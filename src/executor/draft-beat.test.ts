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

it("one who speaks alone is written at once, and again a moment later", async () => {
  const { clock, pass } = stoppedClock();
  const beat = new DraftBeat(clock);
  let written = 0;
  const write = async () => void (written += 1);
  beat.join(write);
  await pass(0);
  expect(written).toBe(1);
  beat.join(write);
  await pass(0);
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

it("the longer it takes to write, the longer beats gather, but never beyond their bound", async () => {
  expect(await beatsOn([0])).toBe(1);
  expect(await beatsOn(Array.from({ length: 50 }, () => 12))).toBeCloseTo(12, 0);
  expect(await beatsOn(Array.from({ length: 100 }, () => 80))).toBeCloseTo(40, 0);
});

it("a disk that hesitates once does not make the next beats wait for it as long again", async () => {
  expect(await beatsOn([1, 20, 1, 1])).toBeLessThan(4);
});

/** The time between the last two beats of one who never stops speaking, on a disk that takes so long for each. */
async function beatsOn(diskMs: readonly number[]): Promise<number> {
  const { clock, pass } = stoppedClock();
  const beat = new DraftBeat(clock);
  const begun: number[] = [];
  const write = async () => {
    const tookMs = diskMs[begun.length];
    begun.push(clock.now());
    if (tookMs === undefined) return;
    beat.join(write);
    await new Promise<void>((resolve) => clock.after(tookMs, resolve));
  };
  beat.join(write);
  for (await pass(0); begun.length <= diskMs.length;) await pass(1);
  return (begun.at(-1) ?? 0) - (begun.at(-2) ?? 0);
}
