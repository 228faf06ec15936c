// Words that were typed for an ask and not sent are kept in this browser only while the ask is open: after that they
// can't be said any more, and nobody would come to clear them away.
import type { Client } from "../../src/client/commands.ts";
import { ProblemError, Unreachable } from "../../src/client/errors.ts";
import { keepUnsent, unsentKeys } from "./unsent.ts";

/** More than anyone has half an answer to; the oldest go first. */
export const KEPT_ANSWERS_MAX = 50;
const PREFIX = "ask:";

export function answerKey(ask: string): string {
  return PREFIX + ask;
}

/** To be called once the open asks are known; any other is asked for, as the list need not be all of them. */
export async function clearKeptAnswers(
  isOpen: (ask: string) => boolean,
  client: Pick<Client, "ask">,
): Promise<void> {
  // An id begins with its time.
  const kept = unsentKeys(PREFIX).toSorted();
  for (const key of kept.splice(0, kept.length - KEPT_ANSWERS_MAX)) keepUnsent(key, "");
  for (const key of kept) {
    const ask = key.slice(PREFIX.length);
    if (!isOpen(ask) && (await isClosed(ask, client))) keepUnsent(key, "");
  }
}

async function isClosed(ask: string, client: Pick<Client, "ask">): Promise<boolean> {
  try {
    return (await client.ask(ask)).state !== "open";
  } catch (error) {
    if (error instanceof Unreachable) return false;
    if (error instanceof ProblemError) return error.code === "not_found";
    throw error;
  }
}
