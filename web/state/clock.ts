// The present, for what says how long ago or how soon.
import { createMemo, createSignal, onCleanup, untrack, type Accessor } from "solid-js";
import { age } from "../time-words.ts";

export type Clock = {
  /** It ticks once a second. */
  now: Accessor<number>;
  /** When this day began, here. */
  today: Accessor<number>;
  /** How long ago, for lists of any length: found anew when it may have changed, not once a second. */
  ageOf: (at: string) => string;
};

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

export function createClock(): Clock {
  const [now, setNow] = createSignal(Date.now());
  const timer = setInterval(() => setNow(Date.now()), 1000);
  onCleanup(() => clearInterval(timer));
  const minute = createMemo(() => Math.floor(now() / MINUTE_MS));
  const today = createMemo(() => new Date(now()).setHours(0, 0, 0, 0));
  return {
    now,
    today,
    ageOf(at) {
      const present = untrack(now);
      if (present - Date.parse(at) < DAY_MS) minute();
      else today();
      return age(at, present);
    },
  };
}
