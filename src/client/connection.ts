// The life of the one socket, as values: each transition takes a state and the time and gives the next state. Nothing
// here has an effect; socket.ts carries out what a state means.
import type { Problem } from "../protocol/problem.ts";
import type { ServerFrame } from "../protocol/socket.ts";
import { backoffMs } from "./backoff.ts";

export type Hello = Extract<ServerFrame, { op: "hello" }>;

export type Connection =
  | { state: "connecting"; failures: number; since: number }
  | { state: "connected"; failures: number; since: number; heardAt: number; hello: Hello }
  /** `offline`: the device itself says that it has no network. That is no reason to stop: a server on this machine is still there. */
  | { state: "reconnecting" | "offline"; failures: number; triedAt: number; retryAt: number }
  /** Trying again can't help before a person does something, such as logging in. */
  | { state: "refused"; failures: number; triedAt: number; problem: Problem }
  | { state: "closed" };

/** What a transition needs beside the state: all that is not in it. */
export type Moment = { now: number; chance: number; online: boolean };

const WAIT = { firstMs: 250, mostMs: 10_000 };
const GREETING_MS = 10_000;
/** However often focus, wake and online fire, attempts begin at least this far apart. */
const APART_MS = 500;
/** A connection that held for this long makes up for the failures before it. */
const STABLE_MS = 1_000;
const SILENCE_HEARTBEATS = 2.5;

export function begin(now: number): Connection {
  return { state: "connecting", failures: 0, since: now };
}

export function greeted(from: Connection, hello: Hello, now: number): Connection {
  if (from.state !== "connecting") return from;
  return { state: "connected", failures: from.failures, since: now, heardAt: now, hello };
}

export function heard(from: Connection, now: number): Connection {
  return from.state === "connected" ? { ...from, heardAt: now } : from;
}

/** The socket is gone, or never came to be. */
export function lost(from: Connection, { now, chance, online }: Moment): Connection {
  if (from.state !== "connecting" && from.state !== "connected") return from;
  const held = from.state === "connected" && now - from.since >= STABLE_MS;
  const before = held ? 0 : from.failures;
  const waitMs = online ? backoffMs(WAIT, before, chance) : WAIT.mostMs;
  return {
    state: online ? "reconnecting" : "offline",
    failures: before + 1,
    triedAt: from.since,
    retryAt: now + waitMs,
  };
}

export function refused(from: Connection, problem: Problem): Connection {
  if (from.state === "closed" || from.state === "refused") return from;
  return {
    state: "refused",
    failures: from.failures,
    triedAt: "triedAt" in from ? from.triedAt : from.since,
    problem,
  };
}

/** At once, or as soon as attempts may be: the device woke, came online, or someone looks at the page. */
export function hurried(from: Connection, now: number): Connection {
  switch (from.state) {
    case "reconnecting":
    case "offline":
    case "refused":
      return {
        state: "reconnecting",
        failures: from.failures,
        triedAt: from.triedAt,
        retryAt: Math.max(now, Math.min(from.triedAt, now) + APART_MS),
      };
    case "connecting":
    case "connected":
    case "closed":
      return from;
  }
}

/** What the passing of time has brought. */
export function elapsed(from: Connection, moment: Moment): Connection {
  const { now } = moment;
  switch (from.state) {
    case "connecting":
      return isDue(from.since, from.since + GREETING_MS, now) ? lost(from, moment) : from;
    case "connected":
      if (now < from.heardAt) return { ...from, heardAt: now };
      return now >= from.heardAt + silenceMs(from.hello) ? lost(from, moment) : from;
    case "reconnecting":
    case "offline":
      if (!isDue(from.triedAt, from.retryAt, now)) return from;
      return { state: "connecting", failures: from.failures, since: now };
    case "refused":
    case "closed":
      return from;
  }
}

/** In how many milliseconds `elapsed` may bring something; undefined: never by itself. */
export function waitMs(from: Connection, now: number): number | undefined {
  switch (from.state) {
    case "connecting":
      return within(from.since + GREETING_MS - now, GREETING_MS);
    case "connected":
      return within(from.heardAt + silenceMs(from.hello) - now, silenceMs(from.hello));
    case "reconnecting":
    case "offline":
      return within(from.retryAt - now, WAIT.mostMs);
    case "refused":
    case "closed":
      return undefined;
  }
}

function silenceMs({ heartbeatMs }: Hello): number {
  return heartbeatMs * SILENCE_HEARTBEATS;
}

/** A clock that was set back must not make us wait for it to catch up. */
function isDue(since: number, dueAt: number, now: number): boolean {
  return now >= dueAt || now < since;
}

function within(ms: number, most: number): number {
  return Math.max(0, Math.min(ms, most));
}
