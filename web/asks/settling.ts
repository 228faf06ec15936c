// Cards come, go and move up under a finger. For a moment afterwards none of them takes a press: it was meant for what
// stood there before, and what it would allow has not been read.
import { createEffect, createSignal, onCleanup, type Accessor } from "solid-js";

const SETTLE_MS = 500;

/** True from the moment that `cards` changes until it has stayed the same for a while. */
export function createSettling(cards: Accessor<string>): Accessor<boolean> {
  const [settled, setSettled] = createSignal("");
  createEffect(() => {
    const shown = cards();
    const timer = setTimeout(() => setSettled(shown), SETTLE_MS);
    onCleanup(() => clearTimeout(timer));
  });
  return () => settled() !== cards();
}
