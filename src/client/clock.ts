// Time as the client uses it, passed in so that a test can own it.

export type Clock = {
  /** Milliseconds of the wall clock: a laptop that slept must notice. */
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

/** Rejects with the signal's reason as soon as it is aborted. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason as Error);
    const stop = clock.after(ms, () => {
      signal?.removeEventListener("abort", abort);
      resolve();
    });
    const abort = () => {
      stop();
      reject(signal?.reason as Error);
    };
    signal?.addEventListener("abort", abort, { once: true });
  });
}
