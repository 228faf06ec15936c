// The present, for what says how long ago or how soon: it ticks once a second.
import { createSignal, onCleanup, type Accessor } from "solid-js";

export function createNow(): Accessor<number> {
  const [now, setNow] = createSignal(Date.now());
  const timer = setInterval(() => setNow(Date.now()), 1000);
  onCleanup(() => clearInterval(timer));
  return now;
}
