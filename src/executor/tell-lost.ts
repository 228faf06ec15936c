// A session whose executor is gone, and which nobody can take up at once, says so: no slot is free, or its host is not there.
import type { Store } from "../store/store.ts";

/** More are told at the next look. */
const TOLD_AT_ONCE = 50;

export async function tellLost(store: Pick<Store, "lostSessions" | "append">): Promise<void> {
  for (const { session, epoch, seq } of await store.lostSessions(TOLD_AT_ONCE))
    await store.append(
      session,
      [{ type: "executor_lost", data: { epoch } }],
      { by: "keeper", keeper: "executor", key: `lost:${session}:${epoch}` }, // several nodes see it, one tells it
      { expectSeq: seq }, // and nobody once another has gone on
    );
}
