// Sixty-four agents at work on one store: each has its own session and lease, and awaits each append before its next.
import type { NewEvent } from "../src/session/event.ts";
import { formatPosition } from "../src/session/position.ts";
import { eventBody, eventText } from "../src/store/event-text.ts";
import type { Lease, Store } from "../src/store/store.ts";
import { executorEvents } from "./executor-facts.ts";
import { timeOf } from "./measure.ts";

const WRITERS = 64;
const LEASE_MS = 60_000;

/** Appends per second over all writers; each round goes on where the last one stopped. */
export async function makeWriters(store: Store, appendsEach: number): Promise<() => Promise<number>> {
  const writers = await Promise.all(Array.from({ length: WRITERS }, (_, n) => makeWriter(store, n)));
  return async () => {
    const work = writers.map(({ lease, events }) => ({
      lease,
      events: Array.from({ length: appendsEach }, () => events.next().value),
    }));
    const ms = await timeOf(() =>
      Promise.all(
        work.map(async ({ lease, events }) => {
          for (const event of events) {
            const appended = await store.append(lease.log, [event], { by: "executor", lease });
            if (!appended.ok) throw new Error(`an append was refused: ${appended.code}`);
          }
        }),
      ),
    );
    return (WRITERS * appendsEach) / (ms / 1000);
  };
}

export type BareRow = { log: string; seq: number; sub: number; crc: number; text: string };

/** The same events as such writers bring them, one after the other in turn: what a bare loop inserts. Never ends. */
export function* bareRows(): Generator<BareRow, never> {
  const writers = Array.from({ length: WRITERS }, (_, n) => ({
    log: writerId(n),
    events: executorEvents(`b${n}`),
  }));
  const at = new Date().toISOString();
  const by = { executor: "nod_bench", epoch: 1 };
  for (let seq = 1; ; seq++) {
    for (const { log, events } of writers) {
      const { text, crc } = eventBody(events.next().value, at, by);
      yield { log, seq, sub: 0, crc, text: eventText(formatPosition(seq, 0), text) };
    }
  }
}

async function makeWriter(
  store: Store,
  n: number,
): Promise<{ lease: Lease; events: Generator<NewEvent, never> }> {
  const id = writerId(n);
  const created = await store.createSession({ id, profile: "default" }, { person: "owner" });
  if (!created.ok) throw new Error(`no session for a writer: ${created.code}`);
  const claimed = await store.claimLease(id, LEASE_MS);
  if (!claimed.ok) throw new Error(`no lease for a writer: ${claimed.code}`);
  return { lease: claimed.lease, events: executorEvents(`w${n}`) };
}

function writerId(n: number): string {
  return `ses_bench_writer_${n}`;
}
