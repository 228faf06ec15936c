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
  expect((await gaps([0])).at(-1)).toBe(1);
  expect((await gaps(times(50, 12))).at(-1)).toBeCloseTo(12, 0);
  expect((await gaps(times(100, 80))).at(-1)).toBeCloseTo(40, 0);
});

it("those who speak at once share their beats, however many they are", async () => {
  expect((await gaps(times(50, 12), 3)).at(-1)).toBeCloseTo(12, 0);
});

it("a disk that hesitates once does not make the next beats wait for it as long again", async () => {
  const { clock, pass } = stoppedClock();
  const beat = new DraftBeat(clock);
  const onDisk = (ms: number) => () => new Promise<void>((resolve) => clock.after(ms, resolve));
  beat.join(onDisk(20));
  await pass(19);
  beat.join(onDisk(10));
  await pass(1); // the first is through, just after the second has begun
  let written = 0;
  beat.join(async () => void (written += 1));
  await pass(3);
  expect(written).toBe(1);
  expect(Math.max(...(await gaps([1, 400, ...times(600, 1)])))).toBeLessThan(6);
});

it("a clock that is set back by hours holds nobody's words back", async () => {
  const { clock, pass } = stoppedClock();
  let setBackMs = 0;
  const beat = new DraftBeat({
    now: () => clock.now() - setBackMs,
    after: (ms, run) => clock.after(ms, run),
  });
  let written = 0;
  const write = async () => void (written += 1);
  beat.join(write);
  await pass(0);
  setBackMs = 3 * 3_600_000;
  beat.join(write);
  await pass(40);
  expect(written).toBe(2);
});

function times(count: number, ms: number): number[] {
  return Array.from({ length: count }, () => ms);
}

/** The times between the beats of those who never stop speaking, on a disk that takes so long for each beat. */
async function gaps(diskMs: readonly number[], voices = 1): Promise<number[]> {
  const { clock, pass } = stoppedClock();
  const beat = new DraftBeat(clock);
  const begun: number[] = [];
  const speak = (leads: boolean) => async () => {
    if (leads) begun.push(clock.now());
    const tookMs = diskMs[begun.length - 1];
    if (tookMs === undefined) return;
    beat.join(speak(leads));
    await new Promise<void>((resolve) => clock.after(tookMs, resolve));
  };
  for (let voice = 0; voice < voices; voice++) beat.join(speak(voice === 0));
  for (await pass(0); begun.length <= diskMs.length;) await pass(1);
  return begun.slice(1).map((at, n) => at - (begun[n] ?? 0));
}
