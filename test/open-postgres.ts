// Stores on one PostgreSQL database for a test file: each is a node, closed after the test that opened it.
import { randomBytes } from "node:crypto";
import { afterEach } from "vitest";
import { makeIds, type Ids } from "../src/session/ids.ts";
import type { NewEvent } from "../src/session/event.ts";
import { seqOf, START } from "../src/session/position.ts";
import { openPostgresStore, type PostgresOptions } from "../src/store/postgres/store.ts";
import type { Lease, Store } from "../src/store/store.ts";

export const ids: Ids = makeIds(Date.now, randomBytes);
export const owner = { person: "owner" } as const;
export const byOwner = { by: "client", author: owner } as const;

const opened = new Set<Store>();
afterEach(async () => {
  for (const store of opened) await closeNode(store);
});

export async function openNode(database: string, more: Partial<PostgresOptions> = {}): Promise<Store> {
  const options = { database, node: ids.next("nod"), host: "test-host", clock: Date.now, ids };
  const store = await openPostgresStore({ ...options, ...more });
  opened.add(store);
  return store;
}

export async function closeNode(store: Store): Promise<void> {
  if (opened.delete(store)) await store.close();
}

export async function newSession(store: Store, id = ids.next("ses")): Promise<string> {
  const created = await store.createSession({ id, profile: "default" }, owner);
  if (!created.ok) throw new Error(`no session: ${created.code}`);
  return id;
}

export async function claim(store: Store, session: string, ttlMs = 60_000): Promise<Lease> {
  const claimed = await store.claimLease(session, ttlMs);
  if (!claimed.ok) throw new Error(`no lease: ${claimed.code}`);
  return claimed.lease;
}

export function notice(text: string): NewEvent {
  return { type: "notice", data: { level: "info", text } };
}

/** The texts of a session's notices, in order; throws when its facts have a gap. */
export async function noticesIn(store: Store, session: string): Promise<string[]> {
  const texts: string[] = [];
  let [last, seq] = [START, 0];
  while (true) {
    const events = await store.events(session, last, 500);
    for (const { position, type, data } of events) {
      if (type !== "draft" && seqOf(position) !== ++seq)
        throw new Error(`fact ${seq} is missing before ${position}`);
      if (type === "notice") texts.push((data as { text: string }).text);
      last = position;
    }
    if (events.length === 0) return texts;
  }
}
