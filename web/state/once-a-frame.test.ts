import { expect, test } from "vitest";
import { GATHERED_MAX, onceAFrame, type Frames } from "./once-a-frame.ts";

/** Frames that come when the test says so. */
function manualFrames() {
  let waiting: (() => void) | undefined;
  const frames: Frames = {
    next(run) {
      waiting = run;
      return () => (waiting = undefined);
    },
  };
  return { frames, paint: () => waiting?.(), isWaiting: () => waiting !== undefined };
}

test("what comes within a frame is carried out in its order when the frame is painted", () => {
  const { frames, paint, isWaiting } = manualFrames();
  const gather = onceAFrame(frames);
  const done: number[] = [];
  gather(() => done.push(1));
  gather(() => done.push(2));
  expect(done).toEqual([]);
  paint();
  expect(done).toEqual([1, 2]);
  expect(isWaiting()).toBe(false);
});

test("without frames it does not pile up", () => {
  const { frames } = manualFrames();
  const gather = onceAFrame(frames);
  const done: number[] = [];
  for (let n = 0; n <= GATHERED_MAX; n++) gather(() => done.push(n));
  expect(done).toHaveLength(GATHERED_MAX);
});
