// A session whose executor is gone, and which nobody can take up at once, says so: no slot is free, or its host is not there.
import type { LostSession, Store } from "../store/store.ts";

/** More are told at the next look. */
const TOLD_AT_ONCE = 50;

/** All that can be told of is, before it throws what went wrong with another. */
export async function tellLost(store: Pick<Store, "lostSessions" | "append">): Promise<void> {
  const failures: unknown[] = [];
  for (const lost of await store.lostSessions(TOLD_AT_ONCE))
    await tell(store, lost).catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

async function tell(store: Pick<Store, "append">, { session, epoch, seq }: LostSession): Promise<void> {
  await store.append(
    session,
    [{ type: "executor_lost", data: { epoch } }],
    { by: "keeper", keeper: "executor", key: `lost:${session}:${epoch}` }, // several nodes see it, one tells it
    { expectSeq: seq }, // and nobody once another has gone on
  );
}
