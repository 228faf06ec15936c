import { expect, it } from "vitest";
import { Duty } from "./duty.ts";

it("is done a slice at a time until nothing is left, and anew when it is asked for meanwhile", async () => {
  const left = [true, true, false];
  let slices = 0;
  const duty: Duty = new Duty({
    slice: async () => {
      slices += 1;
      if (slices === 3) duty.start(); // something came after this last look
      return left.shift() ?? false;
    },
    failed: () => {},
  });
  duty.start();
  await expect.poll(() => slices).toBe(4);
  duty.start();
  await expect.poll(() => slices).toBe(5);
  await duty.stop();
});

it("looks once more whenever it is asked to, also just as it ends", async () => {
  for (let moment = 0; moment < 10; moment++) {
    let looks = 0;
    const duty = new Duty({ slice: async () => ((looks += 1), false), failed: () => {} });
    duty.start();
    for (let n = 0; n < moment; n++) await Promise.resolve();
    const before = looks;
    duty.start();
    await new Promise((resolve) => setImmediate(resolve));
    expect(looks, `asked ${moment} moments after it began`).toBe(before + 1);
    await duty.stop();
  }
});

it("goes on with the next occasion after it failed, and says so", async () => {
  const faults: unknown[] = [];
  const outcomes = [new Error("the disk is full"), false];
  const duty = new Duty({
    slice: async () => {
      const outcome = outcomes.shift();
      if (outcome instanceof Error) throw outcome;
      return false;
    },
    failed: (error) => faults.push(error),
  });
  duty.start();
  await expect.poll(() => faults).toMatchObject([{ message: "the disk is full" }]);
  duty.start();
  await expect.poll(() => outcomes).toEqual([]);
  await duty.stop();
});

it("that is told to stop while it rests does nothing more", async () => {
  let slices = 0;
  const slice = async () => ((slices += 1), false);
  const duty = new Duty({ slice, failed: () => {}, restMs: 3_600_000 });
  duty.start();
  await duty.stop();
  expect(slices).toBe(0);
});
