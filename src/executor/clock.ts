// Time as the executor uses it, passed in so that a test can own it.

export type Clock = {
  now: () => number;
  /** Runs once after a while; the returned function takes it back. */
  after: (ms: number, run: () => void) => () => void;
};

export const wallClock: Clock = {
  now: () => Date.now(),
  after(ms, run) {
    if (ms <= 0) {
      const soon = setImmediate(run); // a timer waits for a millisecond at least
      return () => clearImmediate(soon);
    }
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

/** Resolves after a while, or as soon as the signal is aborted. */
export function pause({ after }: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = () => {
      cancel();
      signal.removeEventListener("abort", done);
      resolve();
    };
    const cancel = after(ms, done);
    signal.addEventListener("abort", done);
  });
}
