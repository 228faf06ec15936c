// What goes wrong in a seed, and how often. Each seed has its own mixture: a fault that is always there hides others.
import type { ProviderFault } from "../../src/driver/driver.ts";
import type { Chance } from "./chance.ts";

/** For each thing that happens to a node, how likely it is that this happens instead or with it. */
export type Rates = {
  kill: number;
  pause: number;
  shutdown: number;
  storageBusy: number;
  ackLost: number;
  wakeLost: number;
  provider: number;
  processLost: number;
  processStubborn: number;
  diskFault: number;
  profileGone: number;
  clockJump: number;
  clockBack: number;
};

const HIGHEST: Rates = {
  kill: 0.02,
  pause: 0.01,
  shutdown: 0.008,
  storageBusy: 0.03,
  ackLost: 0.02,
  wakeLost: 0.5,
  provider: 0.4,
  processLost: 0.004,
  processStubborn: 1,
  diskFault: 0.01,
  profileGone: 0.01,
  clockJump: 0.002,
  clockBack: 0.002,
};

export const NO_FAULTS: Rates = {
  kill: 0,
  pause: 0,
  shutdown: 0,
  storageBusy: 0,
  ackLost: 0,
  wakeLost: 0,
  provider: 0,
  processLost: 0,
  processStubborn: 0,
  diskFault: 0,
  profileGone: 0,
  clockJump: 0,
  clockBack: 0,
};

export function drawRates(chance: Chance): Rates {
  const rates = { ...NO_FAULTS };
  for (const name of Object.keys(HIGHEST) as (keyof Rates)[])
    if (chance.happens(0.5)) rates[name] = HIGHEST[name] * chance.pick([0.2, 0.5, 1]);
  return rates;
}

/** What no code of ours expects: a disk that can't be read for once. */
export class DiskFault extends Error {
  constructor(what: string) {
    super(`${what}: the disk failed`);
  }
}

/** What a provider can do to a call; `hang` says nothing until whoever called loses patience. */
export type ProviderTrouble = { says: number; trouble: ProviderFault | "hang" };

const TOO_LONG: ProviderFault = { class: "context_too_long", message: "too many words" };

export function drawTrouble(chance: Chance): ProviderTrouble {
  const says = chance.happens(0.5) ? chance.next() : 0; // so much of the answer comes first
  const kinds: (ProviderFault | "hang")[] = [
    { class: "rate_limit", message: "slow down", retryAfterMs: chance.whole(1_000, 40_000) },
    { class: "rate_limit", message: "slow down" },
    { class: "overloaded", message: "too many of you" },
    { class: "cut", message: "the stream broke off" },
    { class: "network", message: "connection refused" },
    TOO_LONG,
    TOO_LONG, // its compaction has to be there long enough to be outlived
    "hang",
  ];
  if (chance.happens(0.1)) return { says: 0, trouble: { class: "auth", message: "the key was refused" } };
  return { says, trouble: chance.pick(kinds) };
}
