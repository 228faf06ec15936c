// A stop is a fact: while a model speaks or a tool works, the log is watched for it.
import { StorageError, type Store } from "../store/store.ts";
import type { Stop } from "./call-model.ts";
import { pause, type Clock } from "./clock.ts";
import type { HeldSession } from "./held-session.ts";

export type Watch = { store: Pick<Store, "watch">; clock: Clock };

/** Runs an effect that a person may stop, or a shutdown break off. */
export async function withStops(
  watch: Watch,
  session: HeldSession,
  broken: AbortSignal,
  run: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const stop = new AbortController();
  const over = new AbortController();
  const breakOff = () => stop.abort("shutdown" satisfies Stop);
  broken.addEventListener("abort", breakOff);
  if (broken.aborted) breakOff();
  let deaf: unknown;
  const watching = untilStopped(watch, session, over.signal)
    .then((stopped) => stopped && stop.abort("stopped" satisfies Stop))
    .catch((error: unknown) => {
      deaf = error; // what can't be stopped any more does not go on
      breakOff();
    });
  try {
    await run(stop.signal);
  } finally {
    over.abort();
    broken.removeEventListener("abort", breakOff);
    await watching;
  }
  if (deaf !== undefined) throw deaf;
}

/** False when it is over without. */
async function untilStopped(
  { store, clock }: Watch,
  session: HeldSession,
  over: AbortSignal,
): Promise<boolean> {
  const wakes = store.watch(session.id, over, "facts"); // before the first look
  do {
    await lookAgain(session, clock, over);
    if (session.view.turn?.stopRequested) return true;
  } while (!(await wakes.next()).done);
  return false;
}

const LOOK_AGAIN_MS = 1_000;

/** A store that is out of reach for a moment is no reason to break off what runs. */
async function lookAgain(session: HeldSession, clock: Clock, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    try {
      return await session.catchUp();
    } catch (error) {
      if (!(error instanceof StorageError) || error.kind === "broken") throw error;
      await pause(clock, LOOK_AGAIN_MS, over);
    }
  }
}
