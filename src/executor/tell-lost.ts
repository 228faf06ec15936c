// A session whose executor is gone, and which nobody can take up at once, says so: no slot is free, or its host is not
// there. Whose host stays away is told by name, with the way out: only a person can know that it is gone for good.
import type { NewFact } from "../session/event.ts";
import type { LostSession, Store, StrandedSession } from "../store/store.ts";

/** More are told at the next look. */
const TOLD_AT_ONCE = 50;

type Told = Pick<Store, "lostSessions" | "strandedSessions" | "append">;

/** All that can be told of is, before it throws what went wrong with another. */
export async function tellLost(store: Told): Promise<void> {
  const failures: unknown[] = [];
  const failed = (error: unknown) => void failures.push(error);
  for (const lost of await store.lostSessions(TOLD_AT_ONCE)) await tell(store, lost).catch(failed);
  for (const stranded of await store.strandedSessions(TOLD_AT_ONCE))
    await tellStranded(store, stranded).catch(failed);
  if (failures.length > 0) throw failures[0];
}

function tell(store: Told, { session, epoch, seq }: LostSession): Promise<void> {
  const key = `lost:${session}:${epoch}`;
  return append(store, session, [{ type: "executor_lost", data: { epoch } }], key, seq);
}

function tellStranded(store: Told, stranded: StrandedSession): Promise<void> {
  const { session, epoch, seq, host, unsaid, key } = stranded;
  const lost: NewFact[] = unsaid ? [{ type: "executor_lost", data: { epoch } }] : [];
  const text = strandedWords(session, host);
  return append(store, session, [...lost, { type: "notice", data: { level: "warn", text } }], key, seq);
}

async function append(
  store: Told,
  session: string,
  facts: NewFact[],
  key: string,
  expectSeq: number,
): Promise<void> {
  await store.append(
    session,
    facts,
    { by: "keeper", keeper: "executor", key }, // several nodes see it, one tells it
    { expectSeq }, // and nobody once another has gone on
  );
}

function strandedWords(session: string, host: string): string {
  return `The host "${host}", where this session works, is not there. It goes on when a server is back on it; if it is gone for good, take the session to another host with: holdfast sessions move ${session} --yes`;
}
