// Invariants 1, 9 and 10 when the network or the server fails: nothing acknowledged is lost, nothing is done twice,
// and the store says so while it can't commit, and recovers by itself.
import pg from "pg";
import { afterEach, beforeEach, expect, it } from "vitest";
import {
  byOwner,
  claim,
  closeNode,
  ids,
  newSession,
  notice,
  noticesIn,
  openNode,
  owner,
} from "../../../test/open-postgres.ts";
import { startPostgres, useDatabase } from "../../../test/postgres.ts";
import { startProxy, type Proxy } from "../../../test/tcp-proxy.ts";
import { formatPosition } from "../../session/position.ts";
import { StorageError, type Appended } from "../store.ts";
import { Database } from "./database.ts";
import { Health } from "./health.ts";

const database = await useDatabase();
let proxy: Proxy;

beforeEach(async () => {
  proxy = await startProxy(database);
});
afterEach(() => proxy.close()); // before the stores are closed, so that none of them waits for it

it("an executor's append that was committed without an answer is found again, not written again", async () => {
  const store = await openNode(proxy.url);
  const session = await newSession(store);
  const lease = await claim(store, session);
  const cut = proxy.cutReplyTo("the lost answer");
  const appended = await store.append(session, [notice("the lost answer")], { by: "executor", lease });
  await cut;
  expect(appended).toMatchObject({ ok: true });
  expect(await noticesIn(store, session)).toEqual(["the lost answer"]);
  expect(await store.head(session)).toMatchObject({ position: (appended as { position: string }).position });
});

it("a command that was committed without an answer takes effect once and is not told to be a repetition", async () => {
  const store = await openNode(proxy.url);
  const session = await newSession(store);
  const command = { scope: "owner", key: "cut-1", digest: "d" };
  const cut = proxy.cutReplyTo("keyed and lost");
  const appended = await store.append(session, [notice("keyed and lost")], { ...byOwner, command });
  await cut;
  const kept = { ok: true, position: formatPosition(2, 0) };
  expect(appended).toMatchObject(kept);
  expect(appended).not.toHaveProperty("replayed");
  const again = await store.append(session, [notice("keyed and lost")], { ...byOwner, command });
  expect(again).toEqual({ ...kept, replayed: true });
  expect(await noticesIn(store, session)).toEqual(["keyed and lost"]);
});

it("a session whose creation was committed without an answer is the one that the command's retry gets", async () => {
  const store = await openNode(proxy.url);
  const id = ids.next("ses");
  const cut = proxy.cutReplyTo("commit\0");
  const created = await store.createSession({ id, profile: "default" }, owner, {
    scope: "owner",
    key: id,
    digest: "d",
  });
  await cut;
  expect(created).toMatchObject({ ok: true, session: { id } });
  expect((await store.sessions({ limit: 100 }, "owner")).items.filter((row) => row.id === id)).toHaveLength(
    1,
  );
});

it("a statement that arrives after it was given up writes nothing", async () => {
  const store = await openNode(proxy.url);
  const session = await newSession(store);
  const held = proxy.holdRequest("late arrival");
  const appended = store.append(session, [notice("late arrival")], byOwner);
  const request = await held;
  expect(await appended).toMatchObject({ ok: true }); // by a second statement
  await request.release();
  expect(await noticesIn(store, session)).toEqual(["late arrival"]);
});

it("appends go on through resets of all connections, each done once and in order", async () => {
  const store = await openNode(proxy.url);
  const session = await newSession(store);
  const texts = Array.from({ length: 60 }, (_, n) => `n${n}`);
  const appends: Promise<Appended>[] = [];
  for (const [n, text] of texts.entries()) {
    const append = store.append(session, [notice(text)], byOwner);
    appends.push(append);
    if (n % 15 === 7) proxy.reset();
    if (n % 5 === 0) await append;
  }
  const appended = await Promise.all(appends);
  expect(appended.every(({ ok }) => ok)).toBe(true);
  expect(await noticesIn(store, session)).toEqual(texts);
  expect((await store.check()).problems).toEqual([]);
});

it("what lies ready behind a statement whose answer is lost is done once as well", async () => {
  const store = await openNode(proxy.url);
  const sessions = await Promise.all(Array.from({ length: 40 }, () => newSession(store))); // two statements
  const cut = proxy.cutReplyTo("the lost answer");
  const appended = await Promise.all(
    sessions.map((session) => store.append(session, [notice("the lost answer")], byOwner)),
  );
  await cut;
  expect(appended.every(({ ok }) => ok)).toBe(true);
  for (const session of sessions) expect(await noticesIn(store, session)).toEqual(["the lost answer"]);
});

it("a connection that is reset before it was of any use costs a statement, not the process", async () => {
  const store = await openNode(proxy.url);
  const session = await newSession(store);
  proxy.reset();
  const cut = proxy.cutReplyTo("enable_bitmapscan"); // the first thing that is asked on a new connection
  const appended = store.append(session, [notice("after the cut")], byOwner);
  await cut;
  expect(await appended).toMatchObject({ ok: true });
  expect(await noticesIn(store, session)).toEqual(["after the cut"]);
});

it("answers that come late change nothing but the time", async () => {
  const store = await openNode(proxy.url);
  const session = await newSession(store);
  proxy.delayReplies(150);
  const appended = await Promise.all(
    ["a", "b", "c"].map((text) => store.append(session, [notice(text)], { ...byOwner, command: key(text) })),
  );
  proxy.heal();
  expect(appended.every(({ ok }) => ok)).toBe(true);
  expect(await noticesIn(store, session)).toEqual(["a", "b", "c"]);
});

it("a database that falls silent makes the store not ready with a reason, and what waited is written once when it is back", async () => {
  const store = await openNode(proxy.url);
  const session = await newSession(store);
  expect(store.health()).toEqual({ ok: true });
  proxy.blackHole();
  const appended = store.append(session, [notice("into the void")], byOwner);
  await expect
    .poll(() => store.health(), { timeout: 15_000 })
    .toMatchObject({
      ok: false,
      reason: expect.stringMatching(/PostgreSQL/) as string,
    });
  proxy.heal();
  proxy.reset();
  expect(await appended).toMatchObject({ ok: true });
  await expect.poll(() => store.health()).toEqual({ ok: true });
  expect(await noticesIn(store, session)).toEqual(["into the void"]);
});

it("an append that could not be sent is refused with certainty, and the store recovers by itself", async () => {
  const store = await openNode(proxy.url, { repeatMs: 500 });
  const session = await newSession(store);
  proxy.refuse();
  const refused = await store
    .append(session, [notice("never sent")], byOwner)
    .catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(StorageError);
  expect(refused).toMatchObject({
    kind: "busy",
    message: expect.stringMatching(/nothing of this append was written/) as string,
  });
  proxy.heal();
  await expect.poll(() => store.health()).toEqual({ ok: true });
  expect(await store.append(session, [notice("sent")], byOwner)).toMatchObject({ ok: true });
  expect(await noticesIn(store, session)).toEqual(["sent"]);
});

it("a hint alone wakes a reader on another node, when the poll gets no answers", async () => {
  const other = await openNode(database);
  const session = await newSession(other);
  proxy.swallow("now_s"); // what the poll is answered
  const reader = await openNode(proxy.url);
  const stop = new AbortController();
  const wakes = reader.watch(session, stop.signal);
  let isWoken = false;
  void wakes.next().then(() => (isWoken = true));
  // Again and again: the other node sends hints as soon as it knows that it is not alone.
  await expect
    .poll(async () => {
      await other.append(session, [notice("hinted")], byOwner);
      return isWoken;
    })
    .toBe(true);
  stop.abort();
});

it("a server that takes no writes makes the store not ready with the reason, until it takes them again", async () => {
  const store = await openNode(database);
  const session = await newSession(store);
  await onServer("alter database current set default_transaction_read_only = on");
  await expect(store.append(session, [notice("refused")], byOwner)).rejects.toMatchObject({ kind: "busy" });
  expect(store.health()).toMatchObject({ ok: false, reason: expect.stringMatching(/read-only/) as string });
  await onServer("alter database current reset default_transaction_read_only");
  expect(await store.append(session, [notice("taken")], byOwner)).toMatchObject({ ok: true });
  expect(store.health()).toEqual({ ok: true });
  expect(await noticesIn(store, session)).toEqual(["taken"]);
});

it("an append to a log that somebody holds does not cost the others of its tick theirs", async () => {
  const url = new URL(database);
  url.searchParams.set("lock_timeout", "500"); // milliseconds, in place of the store's own
  const store = await openNode(url.href);
  const [held, free] = await Promise.all([newSession(store), newSession(store)]);
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  await client.query("begin");
  await client.query("select from log where id = $1 for update", [held]);
  const [late, appended] = await Promise.allSettled([
    store.append(held, [notice("x")], byOwner),
    store.append(free, [notice("y")], byOwner),
  ]);
  await client.end();
  expect(late).toMatchObject({ status: "rejected", reason: { kind: "busy" } });
  expect(appended).toMatchObject({ status: "fulfilled", value: { ok: true } });
});

it("appends to other logs pass by one that waits for a log which somebody holds", async () => {
  const store = await openNode(database);
  const [held, behind, free] = await Promise.all([newSession(store), newSession(store), newSession(store)]);
  // Within a transaction one sees who waits only as it was at first.
  const client = new pg.Client({ connectionString: database });
  const watcher = new pg.Client({ connectionString: database });
  await Promise.all([client.connect(), watcher.connect()]);
  await client.query("begin");
  await client.query("select from log where id = $1 for update", [held]);
  const late = store.append(held, [notice("x")], byOwner);
  const waiting =
    "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  await expect.poll(async () => (await watcher.query(waiting)).rowCount).toBe(1);
  const next = store.append(behind, [notice("y")], byOwner); // it may lie ready behind the one that waits
  await nextTick();
  expect(await store.append(free, [notice("z")], byOwner)).toMatchObject({ ok: true });
  expect((await watcher.query(waiting)).rowCount).toBe(1);
  await client.query("commit");
  expect(await Promise.all([late, next])).toMatchObject([{ ok: true }, { ok: true }]);
  await Promise.all([client.end(), watcher.end()]);
});

it("a deletion that was cut short is gone on with by tidy", async () => {
  const store = await openNode(proxy.url);
  const session = await newSession(store);
  await store.append(session, [notice("x")], byOwner);
  const cut = proxy.holdRequest("delete from draft where log"); // the first statement after the session is gone
  const deleted = store.deleteSession(session, { force: true });
  await cut;
  expect(await deleted).toEqual({ ok: true });
  expect(await store.session(session, "owner")).toBeUndefined();
  expect(await store.createSession({ id: session, profile: "default" }, owner)).toMatchObject({
    code: "exists",
  });
  expect((await store.check()).problems).toEqual([]);
  await store.tidy();
  expect(await store.createSession({ id: session, profile: "default" }, owner)).toMatchObject({ ok: true });
});

it("a database that can't be reached is a clear refusal to open", async () => {
  proxy.refuse();
  await expect(openNode(proxy.url)).rejects.toMatchObject({ kind: "busy" });
});

it("after a crash of the server every acknowledged append is there, and the store goes on", async () => {
  const server = await startPostgres({ durable: true });
  try {
    const store = await openNode(server.url);
    const sessions = await Promise.all(Array.from({ length: 8 }, () => newSession(store)));
    const acknowledged = new Map(sessions.map((session) => [session, [] as string[]]));
    let stopped = false;
    const writers = sessions.map(async (session) => {
      for (let n = 0; !stopped; n++) {
        const appended = await store.append(session, [notice(`n${n}`)], byOwner);
        if (appended.ok) acknowledged.get(session)?.push(`n${n}`);
      }
    });
    const count = () => [...acknowledged.values()].reduce((sum, texts) => sum + texts.length, 0);
    for (let crash = 0; crash < 3; crash++) {
      const before = count();
      await expect.poll(count, { timeout: 15_000 }).toBeGreaterThan(before + 100);
      await server.crash();
      await server.restart();
    }
    stopped = true;
    await Promise.all(writers);
    for (const [session, texts] of acknowledged) expect(await noticesIn(store, session)).toEqual(texts);
    expect(await store.check()).toMatchObject({ damaged: [], problems: [] });
    await store.close();
  } finally {
    await server.stop();
  }
}, 60_000);

it("where the database answers before the disk has it, what is acknowledged is there after a crash all the same", async () => {
  const server = await startPostgres({ durable: true });
  try {
    // By its role, and so late by itself that only waiting for the disk brings it there before the crash.
    await onServer("alter role postgres set synchronous_commit = off", server.url);
    await onServer("alter system set wal_writer_delay = '10s'", server.url);
    await onServer("select pg_reload_conf()", server.url);
    const store = await openNode(server.url);
    const session = await newSession(store);
    expect(await store.append(session, [notice("told to be there")], byOwner)).toMatchObject({ ok: true });
    await server.crash();
    await server.restart();
    await expect.poll(() => noticesIn(store, session).catch(() => [])).toEqual(["told to be there"]);
    const second = await newSession(store);
    await server.crash();
    await server.restart();
    await expect.poll(() => store.head(second).catch(() => undefined)).toBeDefined();
    await store.close();
  } finally {
    await server.stop();
  }
}, 60_000);

it.each(["local", "remote_write", "remote_apply"])(
  "how far commits wait for replicas is left as it is: %s",
  async (chosen) => {
    await onServer(`alter database current set synchronous_commit = ${chosen}`);
    const opened = new Database(database, "nod_test", new Health());
    try {
      expect(await opened.query({ text: "show synchronous_commit" })).toEqual([
        { synchronous_commit: chosen },
      ]);
    } finally {
      await opened.close();
      await onServer("alter database current reset synchronous_commit");
    }
  },
);

it("after a crash of the server nobody takes from a node that has yet to come back, not even one that is new", async () => {
  const server = await startPostgres({ durable: true });
  const way = await startProxy(server.url);
  const patient = { returnMs: 60_000 };
  try {
    const [late, early] = await Promise.all([openNode(way.url), openNode(server.url, patient)]);
    const session = await newSession(late);
    await claim(late, session);
    await server.crash();
    way.refuse();
    await server.restart();
    const isBack = async () => (await early.nodes()).find(({ id }) => id === early.node)?.alive;
    await expect.poll(() => isBack().catch(() => false), { timeout: 15_000 }).toBe(true);
    expect((await early.nodes()).find(({ id }) => id === late.node)).toMatchObject({ alive: false });
    for (const store of [early, await openNode(server.url, patient)]) {
      expect(await store.claimLease(session, 60_000)).toEqual({ ok: false, code: "held" });
      expect(await store.claimSession(60_000)).toBeUndefined();
      expect(await store.lostSessions(10)).toEqual([]);
      await closeNode(store);
    }
    await closeNode(late);
  } finally {
    await way.close();
    await server.stop();
  }
}, 60_000);

it("a node that died while the server was away is taken from as soon as any other would be back", async () => {
  const server = await startPostgres({ durable: true });
  const way = await startProxy(server.url);
  try {
    const [dead, store] = await Promise.all([openNode(way.url), openNode(server.url)]);
    const session = await newSession(dead);
    await claim(dead, session, 600_000);
    const stop = new AbortController();
    const changes = store.changes(stop.signal);
    await server.crash();
    way.refuse(); // as good as dead: it never comes back
    await server.restart();
    // Told when there is something to be had, not before.
    for await (const logs of changes) if (logs.has(dead.node)) break;
    expect(await store.claimLease(session, 60_000)).toMatchObject({ ok: true, takeover: true });
    await Promise.all([closeNode(dead), closeNode(store)]);
  } finally {
    await way.close();
    await server.stop();
  }
}, 60_000);

/** `current` in the statement is the test's database; all others who are connected to it have to connect anew. */
async function onServer(statement: string, connectionString = database): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    await client.query("set default_transaction_read_only = off");
    const { rows } = await client.query<{ name: string }>("select current_database() as name");
    await client.query(statement.replace("current", rows[0]?.name ?? ""));
    await client.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
    );
  } finally {
    await client.end();
  }
}

function key(text: string): { scope: string; key: string; digest: string } {
  return { scope: "late", key: text, digest: "d" };
}

/** After all that was asked for has been sent. */
async function nextTick(): Promise<void> {
  for (let ticks = 0; ticks < 2; ticks++) await new Promise((resolve) => setImmediate(resolve));
}
