// Waiting for what came of a request, on whichever node it was carried out. A wake says "look", and a poll stands behind it.
import { setTimeout as delay } from "node:timers/promises";
import type { ProcessRequest, Store } from "./store.ts";

const POLL_MS = 500;

/** Undefined when the signal came first; the request stays. */
export async function requestOutcome(
  store: Pick<Store, "watch" | "processRequest">,
  { id, process }: Pick<ProcessRequest, "id" | "process">,
  signal: AbortSignal,
): Promise<string | undefined> {
  const over = new AbortController();
  const both = AbortSignal.any([signal, over.signal]);
  const wakes = store.watch(process, both);
  let woken = wakes.next();
  try {
    while (!signal.aborted) {
      const { outcome } = (await store.processRequest(id)) ?? { outcome: "forgotten" };
      if (outcome !== null) return outcome;
      const poll = delay(POLL_MS, undefined, { signal: both }).catch(() => {}); // aborted: the loop sees it
      await Promise.race([woken.then(() => (woken = wakes.next())), poll]);
    }
    return undefined;
  } finally {
    over.abort();
  }
}
