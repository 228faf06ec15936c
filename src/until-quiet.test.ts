import { expect, it } from "vitest";
import { untilQuiet } from "./until-quiet.ts";

it("no moment is quiet while an agent is in a turn, however little it does", async () => {
  let [isAtWork, asked, isQuiet] = [true, 0, false];
  const quiet = untilQuiet({
    isAtWork() {
      asked += 1;
      return isAtWork;
    },
    forMs: 10,
    over: new AbortController().signal,
  }).then(() => (isQuiet = true));
  await expect.poll(() => asked, { interval: 100 }).toBeGreaterThan(20);
  expect(isQuiet).toBe(false);
  isAtWork = false;
  await quiet;
});

it("nobody waits for a quiet moment once it is over", async () => {
  const over = new AbortController();
  const quiet = untilQuiet({ isAtWork: () => true, forMs: 60_000, over: over.signal });
  over.abort();
  await expect(quiet).resolves.toBeUndefined();
});
