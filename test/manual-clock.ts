// A clock that stands until a test moves it.
import type { Clock } from "../src/client/clock.ts";

export type ManualClock = Clock & {
  /** Moves on, running what falls due on the way, in its order. */
  advance(ms: number): void;
};

export function manualClock(start = 0): ManualClock {
  let now = start;
  let timers: { at: number; run: () => void }[] = [];
  return {
    now: () => now,
    after(ms, run) {
      const timer = { at: now + ms, run };
      timers.push(timer);
      return () => {
        timers = timers.filter((each) => each !== timer);
      };
    },
    advance(ms) {
      const until = now + ms;
      for (;;) {
        const next = timers.filter(({ at }) => at <= until).toSorted((a, b) => a.at - b.at)[0];
        if (!next) break;
        timers = timers.filter((each) => each !== next);
        now = Math.max(now, next.at);
        next.run();
      }
      now = until;
    },
  };
}
