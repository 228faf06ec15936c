// Nobody waits in a circle (lock-logs.ts): whoever waits for a row holds none that comes later in the order. Each test
// holds the first row that a verb needs, lets the verb wait for it, and takes the later rows, which must be free.
import pg from "pg";
import { afterAll, afterEach, expect, it } from "vitest";
import { byOwner, closeNode, ids, newSession, notice, openNode, owner } from "../../../test/open-postgres.ts";
import { useDatabase } from "../../../test/postgres.ts";
import type { NewFact } from "../../session/event.ts";
import { formatPosition } from "../../session/position.ts";
import type { Command, Forked, Store } from "../store.ts";

const database = await useDatabase();
const holder = new pg.Client({ connectionString: database });
const watcher = new pg.Client({ connectionString: database });
await Promise.all([holder.connect(), watcher.connect()]);
afterEach(() => holder.query("rollback"));
afterAll(() => Promise.all([holder.end(), watcher.end()]));

it("a deletion locks a session and its delegates in the order of their ids, whichever is the elder", async () => {
  const store = await openNode(database);
  const { parent, child } = await family(store);
  await hold(logRow(child));
  const deleted = store.deleteSession(parent, { force: true });
  await untilItWaits();
  await take(logRow(parent));
  await letGo();
  expect(await deleted).toEqual({ ok: true });
  expect(await store.head(child)).toBeUndefined();
});

it("a deletion takes along whom a delegate gives work to at that moment", async () => {
  const store = await openNode(database);
  const { parent, child } = await family(store);
  const grandchild = ids.next("ses");
  await holder.query("begin");
  await holder.query("select from log where id = $1 for key share", [child]); // as a creation does
  await holder.query("insert into log (id, kind, seq, sub, touched) values ($1, 'session', 1, 0, 0)", [
    grandchild,
  ]);
  await holder.query(copyOfRow, [grandchild, child]);
  const deleted = store.deleteSession(parent, { force: true });
  await untilItWaits();
  await letGo("commit");
  expect(await deleted).toEqual({ ok: true });
  expect(await store.head(grandchild)).toBeUndefined();
});

it("a deletion locks the session that its own succeeded, which it changes too, in the order of their ids", async () => {
  const store = await openNode(database);
  const [low, middle, high] = [ids.next("ses"), ids.next("ses"), ids.next("ses")].toSorted() as [
    string,
    string,
    string,
  ];
  await newSession(store, low);
  await goBack(store, low, high);
  await goBack(store, high, middle);
  await hold(logRow(low));
  const deleted = store.deleteSession(high, { force: true });
  await untilItWaits();
  await take(logRow(high), sessionRow(low));
  await letGo();
  expect(await deleted).toEqual({ ok: true });
  expect(await store.session(low, "owner")).toMatchObject({ head: middle });
});

it("a succession locks the delegates that it takes along before it changes anything", async () => {
  const store = await openNode(database);
  const { parent, child } = await family(store);
  await store.append(parent, [delegated(child)], byOwner);
  await hold(logRow(child));
  const successor = ids.next("ses");
  const succeeded = goBack(store, parent, successor);
  await untilItWaits();
  await take(logRow(parent), sessionRow(child));
  await letGo();
  expect(await succeeded).toMatchObject({ ok: true });
  expect(await store.scope(successor)).toContain(child);
});

it("a node that comes back under its name frees its former leases in the order of their logs", async () => {
  const node = ids.next("nod");
  const first = await openNode(database, { node });
  const [low, high] = [ids.next("ses"), ids.next("ses")].toSorted();
  for (const session of [high!, low!]) {
    await newSession(first, session);
    await first.claimLease(session, 60_000);
  }
  await closeNode(first);
  await hold(logRow(low!));
  const again = openNode(database, { node });
  await untilItWaits();
  await take(logRow(high!));
  await letGo();
  expect(await (await again).claimLease(high!, 1_000)).toMatchObject({ ok: true });
});

it("a claim waits for nobody: a session that another is just choosing is passed over", async () => {
  const url = new URL(database);
  url.searchParams.set("lock_timeout", "200"); // milliseconds: who waits all the same is told
  const store = await openNode(url.href);
  const session = await newSession(store);
  await store.append(session, [prompt], byOwner);
  await hold(logRow(session));
  expect(await claimAll(store)).not.toContain(session);
  await letGo();
  expect(await claimAll(store)).toContain(session);
});

it("how far a person has read is written after its log is locked, as a deletion does it", async () => {
  const store = await openNode(database);
  const session = await newSession(store);
  await store.setSeen("owner", session, formatPosition(1, 0));
  await store.append(session, [notice("more")], byOwner);
  await hold(logRow(session));
  const seen = store.setSeen("owner", session, formatPosition(2, 0));
  await untilItWaits();
  await take({ text: "select from seen where session = $1 for update nowait", values: [session] });
  await letGo();
  expect(await seen).toEqual({ ok: true, position: formatPosition(2, 0) });
});

it("snapshots are dropped after their log is locked, as they are made", async () => {
  const store = await openNode(database);
  const session = await newSession(store);
  await watcher.query(
    "insert into snapshot (log, seq, sub, version, crc, view) values ($1, 1, 0, 0, 0, '')",
    [session],
  );
  await hold(logRow(session));
  const dropped = store.dropSnapshots(session);
  await untilItWaits();
  await take({ text: "select from snapshot where log = $1 for update nowait", values: [session] });
  await letGo();
  await dropped;
  const { rowCount } = await watcher.query("select from snapshot where log = $1", [session]);
  expect(rowCount).toBe(0);
});

it.each<[string, (store: Store, session: string, key: string) => Promise<unknown>]>([
  ["arranging", (store, session, key) => store.arrangeSession(session, { pinned: true }, command(key))],
  ["deleting", (store, session, key) => store.deleteSession(session, { force: true }, command(key))],
  [
    "giving work",
    (store, session, key) =>
      store.createSession(
        { id: ids.next("ses"), profile: "default", origin: { kind: "delegation", session } },
        owner,
        command(key),
      ),
  ],
  ["going back", (store, session, key) => goBack(store, session, ids.next("ses"), command(key))],
])("a command's key is taken after the log is locked, as an append does it: %s", async (_, verb) => {
  const store = await openNode(database);
  const session = await newSession(store);
  const key = ids.next("req");
  await hold(logRow(session));
  const done = verb(store, session, key);
  await untilItWaits();
  await holder.query("set local lock_timeout = '100ms'"); // an insert can't be told not to wait
  await take({
    text: "insert into command (scope, key, digest, at) values ('owner', $1, '', 0)",
    values: [key],
  });
  await letGo();
  expect(await done).toMatchObject({ ok: true });
});

const prompt: NewFact = { type: "input_admitted", data: { input: "inp_1", kind: "prompt", text: "go" } };

async function claimAll(store: Store): Promise<string[]> {
  const claimed: string[] = [];
  for (;;) {
    const claim = await store.claimSession(60_000);
    if (!claim) return claimed;
    claimed.push(claim.lease.log);
  }
}

/** The child has the lower id, as every other delegate does: theirs follow from the call. */
async function family(store: Store): Promise<{ parent: string; child: string }> {
  const [child, parent] = [ids.next("ses"), ids.next("ses")].toSorted() as [string, string];
  await newSession(store, parent);
  const origin = { kind: "delegation", session: parent } as const;
  expect(await store.createSession({ id: child, profile: "default", origin }, owner)).toMatchObject({
    ok: true,
  });
  return { parent, child };
}

async function goBack(store: Store, from: string, id: string, key?: Command): Promise<Forked> {
  const view = (await store.view(from))!;
  return store.succeedSession(
    { from, view, at: formatPosition(1, 0), id, reason: "undone", first: [] },
    owner,
    key,
  );
}

function delegated(session: string): NewFact {
  return { type: "delegated", data: { session, call: "call_1", background: true } };
}

function command(key: string): Command {
  return { scope: "owner", key, digest: "d" };
}

/** A delegate's row like another's, but that it works for that one. */
const copyOfRow = `insert into session (id, profile, title_words, origin_kind, origin_session, created_at, updated_at, updated_hour,
    recovering, held, failed, ended, messages, tools, queued, approvals, questions, input_tokens, output_tokens, cost)
  select $1, profile, title_words, origin_kind, id, created_at, updated_at, updated_hour,
    recovering, held, failed, ended, messages, tools, queued, approvals, questions, input_tokens, output_tokens, cost
  from session where id = $2`;

type Row = { text: string; values: string[] };

const logRow = (id: string): Row => ({
  text: "select from log where id = $1 for update nowait",
  values: [id],
});
const sessionRow = (id: string): Row => ({
  text: "select from session where id = $1 for update nowait",
  values: [id],
});

async function hold(row: Row): Promise<void> {
  await holder.query("begin");
  await take(row);
}

/** Throws when somebody has it. */
async function take(...rows: Row[]): Promise<void> {
  for (const row of rows) await holder.query(row);
}

async function letGo(end: "commit" | "rollback" = "rollback"): Promise<void> {
  await holder.query(end);
}

async function untilItWaits(): Promise<void> {
  const { rows } = await holder.query<{ pid: number }>("select pg_backend_pid() as pid");
  const waiting = "select from pg_stat_activity where $1 = any(pg_blocking_pids(pid))";
  await expect
    .poll(async () => (await watcher.query(waiting, [rows[0]?.pid])).rowCount, { timeout: 3_000 })
    .toBeGreaterThan(0);
}
