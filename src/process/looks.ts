// "Look now", for whoever waits on a process's directory. The file system's wakes may be lost or not to be had (their
// number is limited), so a poll stands behind them; it also finds the shim that died without a word.
import { watch } from "node:fs";

const POLL_MS = 1000;
/** Without wakes the poll is all there is. */
const POLL_ALONE_MS = 100;

/** Yields at once, then after every change and every poll, until the signal. */
export async function* looks(dir: string, signal: AbortSignal): AsyncGenerator<void, void> {
  let changed = true;
  let wake = () => {};
  const look = () => {
    changed = true;
    wake();
  };
  const stopWatching = watchDirectory(dir, look);
  const poll = setInterval(look, stopWatching === undefined ? POLL_ALONE_MS : POLL_MS);
  signal.addEventListener("abort", look);
  try {
    while (!signal.aborted) {
      if (!changed) await new Promise<void>((resolve) => (wake = resolve));
      if (signal.aborted) return;
      changed = false;
      yield;
    }
  } finally {
    signal.removeEventListener("abort", look);
    clearInterval(poll);
    stopWatching?.();
  }
}

function watchDirectory(dir: string, look: () => void): (() => void) | undefined {
  try {
    const watcher = watch(dir, look);
    watcher.on("error", () => watcher.close()); // the poll goes on
    return () => watcher.close();
  } catch {
    return undefined; // no watch to be had: the poll is enough, only slower
  }
}
