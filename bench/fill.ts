// Logs to measure on, made by the store's own verbs in large appends: with index, search and snapshots as real ones have.
import type { NewEvent } from "../src/session/event.ts";
import type { Store } from "../src/store/store.ts";
import { executorFacts, take, type Sizes } from "./executor-facts.ts";

const PER_APPEND = 1000;
const LEASE_MS = 60_000;
const CREATING_MAX = 64;

/** One session whose log has that many facts. */
export async function fillSession(store: Store, id: string, facts: number, sizes?: Sizes): Promise<void> {
  const created = await store.createSession(
    { id, profile: "default", title: "a long one" },
    { person: "owner" },
  );
  if (!created.ok) throw new Error(`no session to fill: ${created.code}`);
  const claimed = await store.claimLease(id, LEASE_MS);
  if (!claimed.ok) throw new Error(`no lease to fill with: ${claimed.code}`);
  const source = executorFacts(id, sizes);
  for (let left = facts - 1; left > 0; left -= PER_APPEND) {
    const events = take(Math.min(left, PER_APPEND), source);
    const appended = await store.append(id, events, { by: "executor", lease: claimed.lease });
    if (!appended.ok) throw new Error(`an append was refused: ${appended.code}`);
  }
  await store.releaseLease(claimed.lease);
}

/** Many sessions, each with as many facts. */
export async function fillSessions(
  store: Store,
  sessions: number,
  factsEach: number,
  sizes?: Sizes,
): Promise<void> {
  const first: NewEvent[] = take(factsEach - 1, executorFacts("many", sizes));
  for (let made = 0; made < sessions; made += CREATING_MAX) {
    const count = Math.min(CREATING_MAX, sessions - made);
    await Promise.all(
      Array.from({ length: count }, async (_, n) => {
        const session = {
          id: `ses_bench_${made + n}`,
          profile: "default",
          title: `session ${made + n}`,
          first,
        };
        const created = await store.createSession(session, { person: "owner" });
        if (!created.ok) throw new Error(`a session was refused: ${created.code}`);
      }),
    );
  }
}
