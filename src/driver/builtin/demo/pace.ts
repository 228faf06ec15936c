import { setTimeout } from "node:timers/promises";
import type { Pace } from "./demo.ts";

/** Fifty tokens a second: about as fast as a real model speaks. */
const TOKEN_MS = 20;

export const usualPace: Pace = (signal) => setTimeout(TOKEN_MS, undefined, { signal }).catch(() => {}); // stopped: whoever waits looks at the signal
