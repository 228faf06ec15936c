// Time as the executor uses it, passed in so that a test can own it.

export type Clock = {
  now(): number;
  /** Runs once after a while; the returned function takes it back. */
  after(ms: number, run: () => void): () => void;
};

export const wallClock: Clock = {
  now: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};
