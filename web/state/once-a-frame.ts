// What the socket brings is gathered and carried out once a frame: however many words come, and of however many
// sessions, the page changes once before it is painted.
import { batch } from "solid-js";

export type Frames = {
  /** Calls back before the next paint, or soon when nothing is painted; the returned function takes it back. */
  next(run: () => void): () => void;
};

/** A hidden tab has no frames; it goes on by a timer. */
const UNPAINTED_MS = 250;
/** So much is not left to pile up, whatever the browser does with frames and timers. */
export const GATHERED_MAX = 500;

export function onceAFrame(frames: Frames = browserFrames): (change: () => void) => void {
  let gathered: (() => void)[] = [];
  let takeBack: (() => void) | undefined;

  return (change) => {
    gathered.push(change);
    if (gathered.length >= GATHERED_MAX) return carryOut();
    takeBack ??= frames.next(carryOut);
  };

  function carryOut(): void {
    takeBack?.();
    takeBack = undefined;
    const changes = gathered;
    gathered = [];
    batch(() => changes.forEach(tryChange));
  }
}

/** One that fails is reported, and takes no other with it. */
function tryChange(change: () => void): void {
  try {
    change();
  } catch (error) {
    reportError(error);
  }
}

const browserFrames: Frames = {
  next(run) {
    const frame = requestAnimationFrame(run);
    const timer = setTimeout(run, UNPAINTED_MS);
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
    };
  },
};
