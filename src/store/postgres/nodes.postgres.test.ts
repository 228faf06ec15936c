// Several nodes on one database: what one writes, others see; what one held, others take over, and never both.
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { afterEach, expect, it } from "vitest";
import {
  byOwner,
  claim,
  closeNode,
  ids,
  newSession,
  notice,
  noticesIn,
  openNode,
} from "../../../test/open-postgres.ts";
import { useDatabase } from "../../../test/postgres.ts";
import { startProxy, type Proxy } from "../../../test/tcp-proxy.ts";
import { START } from "../../session/position.ts";
import type { Lease } from "../store.ts";
import { nodeLock } from "./liveness.ts";

const database = await useDatabase();
const processes = new Set<NodeProcess>();
const proxies = new Set<Proxy>();

afterEach(async () => {
  for (const node of processes) await node.kill();
  for (const proxy of proxies) await proxy.close();
  processes.clear();
  proxies.clear();
});

it("an append on one node wakes a reader on another, who then reads it", async () => {
  const [writer, reader] = await Promise.all([openNode(database), openNode(database)]);
  const session = await newSession(writer);
  const stop = new AbortController();
  const wakes = reader.watch(session, stop.signal);
  await writer.append(session, [notice("hello")], byOwner);
  expect(await wakes.next()).toMatchObject({ done: false });
  expect(await noticesIn(reader, session)).toEqual(["hello"]);
  stop.abort();
});

it("a reader who follows on one node reads what both wrote, in its order", async () => {
  const [one, other] = await Promise.all([openNode(database), openNode(database)]);
  const session = await newSession(one);
  const stop = new AbortController();
  const wakes = one.watch(session, stop.signal);
  const read: string[] = [];
  const reading = (async () => {
    let after = START;
    while (read.length < 60) {
      const page = await one.page(session, after, 1 << 20);
      const events = JSON.parse(`[${page.bytes.toString()}]`) as { type: string; data: { text: string } }[];
      read.push(...events.filter(({ type }) => type === "notice").map(({ data }) => data.text));
      after = page.last;
      if (page.upToDate) await wakes.next();
    }
  })();
  for (let n = 0; n < 20; n++)
    await Promise.all([
      one.append(session, [notice(`${n} here`)], byOwner),
      one.append(session, [notice(`${n} here too`)], byOwner),
      other.append(session, [notice(`${n} there`)], byOwner),
    ]);
  await reading;
  expect(read).toEqual(await noticesIn(other, session));
  stop.abort();
});

it("each of many logs that change at once is named to another node", async () => {
  const [writer, reader] = await Promise.all([openNode(database), openNode(database)]);
  const stop = new AbortController();
  const changes = reader.changes(stop.signal);
  const sessions = new Set(await Promise.all(Array.from({ length: 400 }, () => newSession(writer))));
  for await (const named of changes) {
    for (const log of named) sessions.delete(log);
    if (sessions.size === 0) break;
  }
  expect(sessions.size).toBe(0);
  stop.abort();
});

it("a change on one node names its log to the lists of another", async () => {
  const [writer, reader] = await Promise.all([openNode(database), openNode(database)]);
  const stop = new AbortController();
  const changes = reader.changes(stop.signal);
  const session = await newSession(writer);
  expect(await isNamed(changes, session)).toBe(true);
  await writer.arrangeSession(session, { pinned: true });
  expect(await isNamed(changes, session)).toBe(true);
  await writer.deleteSession(session, { force: true });
  expect(await isNamed(changes, session)).toBe(true);
  stop.abort();
});

it("with every hint lost the poll still wakes readers and lists, and tells of revocations", async () => {
  const proxy = await startProxy(database);
  proxies.add(proxy);
  const [writer, reader] = await Promise.all([openNode(database), openNode(proxy.url)]);
  proxy.swallow("holdfast\0"); // the channel's name, as it stands in a notification
  const [session, token] = [ids.next("ses"), ids.next("tok")];
  const stop = new AbortController();
  const [wakes, changes] = [reader.watch(session, stop.signal), reader.changes(stop.signal)];
  const revocations = reader.revocations(stop.signal);
  await newSession(writer, session);
  await writer.addToken({ id: token, person: "owner", kind: "program", name: "ci", hash: token });
  expect(await isNamed(changes, session)).toBe(true);
  await wakes.next();

  await writer.append(session, [notice("quiet")], byOwner);
  await wakes.next();
  expect(await noticesIn(reader, session)).toEqual(["quiet"]);
  expect(await isNamed(changes, session)).toBe(true);
  await writer.revokeToken(token);
  expect(await revocations.next()).toMatchObject({ value: token });
  await writer.deleteSession(session, { force: true });
  expect(await isNamed(changes, session)).toBe(true);
  stop.abort();
});

it("revoking on one node is told on another", async () => {
  const [one, other] = await Promise.all([openNode(database), openNode(database)]);
  const stop = new AbortController();
  const revocations = other.revocations(stop.signal);
  const id = ids.next("tok");
  await one.addToken({ id, person: "owner", kind: "person", name: "phone", hash: id });
  expect(await one.revokeToken(id)).toEqual({ ok: true });
  expect(await revocations.next()).toMatchObject({ value: id });
  expect(await other.credential(id, 1000)).toBeUndefined();
  stop.abort();
});

it("a lease is held while its node lives and taken over at once when its process is killed", async () => {
  const store = await openNode(database);
  const session = await newSession(store);
  const holder = await startNode(session, 60_000);
  expect(await store.claimLease(session, 60_000)).toEqual({ ok: false, code: "held" });
  expect((await store.nodes()).find(({ id }) => id === holder.node)).toMatchObject({ alive: true });

  await holder.kill();
  await expect.poll(() => store.claimLease(session, 60_000)).toMatchObject({ ok: true, takeover: true });
  expect((await store.nodes()).find(({ id }) => id === holder.node)).toMatchObject({ alive: false });
});

it("that a node was killed is a reason to look for work on every other", async () => {
  const store = await openNode(database);
  const session = await newSession(store);
  const holder = await startNode(session, 60_000);
  const stop = new AbortController();
  const changes = store.changes(stop.signal);
  await holder.kill();
  expect(await isNamed(changes, holder.node)).toBe(true);
  expect(await store.claimLease(session, 60_000)).toMatchObject({ ok: true, takeover: true, crash: true });
  stop.abort();
});

it("a node that was stopped for longer than its lease can't append, renew or release when it goes on", async () => {
  const store = await openNode(database);
  const session = await newSession(store);
  const zombie = await startNode(session, 300);
  expect(await zombie.ask("append")).toMatchObject({ ok: true });
  zombie.signal("SIGSTOP");
  // Its lock is still there: only its lease runs out.
  await expect.poll(() => store.claimLease(session, 60_000)).toMatchObject({ ok: true, takeover: true });
  await store.append(session, [notice("successor")], byOwner);
  zombie.signal("SIGCONT");
  expect(await zombie.ask("append")).toEqual({ ok: false, code: "lease_lost" });
  expect(await zombie.ask("renew")).toEqual({ ok: false, code: "lease_lost" });
  expect(await zombie.ask("release")).toEqual({ ok: false, code: "lease_lost" });
  expect(await noticesIn(store, session)).toEqual([`from ${zombie.node}`, "successor"]);
});

it("of eight nodes that claim one session at once, one gets it", async () => {
  const stores = await Promise.all(Array.from({ length: 8 }, () => openNode(database)));
  const [first] = stores;
  if (!first) throw new Error("no node");
  const session = await newSession(first);
  const claims = await Promise.all(stores.map((store) => store.claimLease(session, 60_000)));
  expect(claims.filter(({ ok }) => ok)).toHaveLength(1);
});

it("a node that is stopped in order leaves the list of nodes, and its leases to whoever asks", async () => {
  const [one, other] = await Promise.all([openNode(database), openNode(database)]);
  const session = await newSession(one);
  await claim(one, session);
  const gone = one.node;
  await closeNode(one);
  expect((await other.nodes()).map(({ id }) => id)).not.toContain(gone);
  await expect.poll(() => other.claimLease(session, 1000)).toMatchObject({ ok: true, takeover: true });
});

it("a node that comes back under its name does not wait for the leases of its former process", async () => {
  const node = ids.next("nod");
  const first = await openNode(database, { node });
  const session = await newSession(first);
  await claim(first, session);
  await closeNode(first);
  const again = await openNode(database, { node });
  expect(await again.claimLease(session, 1000)).toMatchObject({ ok: true, takeover: true });
});

it("two processes can't be one node", async () => {
  const store = await openNode(database);
  await expect(openNode(database, { node: store.node })).rejects.toThrow(/already at work/);
});

it("a node that loses all its connections keeps its leases, and comes back by itself", async () => {
  const proxy = await startProxy(database);
  proxies.add(proxy);
  const [cut, other] = await Promise.all([openNode(proxy.url), openNode(database)]);
  const session = await newSession(cut);
  const lease = await claim(cut, session);
  const before = await lockHolder(cut.node);
  proxy.reset();
  await expect.poll(async () => [before, null].includes(await lockHolder(cut.node))).toBe(false);
  expect(await other.claimLease(session, 1000)).toEqual({ ok: false, code: "held" });
  expect(await cut.append(session, [notice("still here")], { by: "executor", lease })).toMatchObject({
    ok: true,
  });
});

/** The server's process that holds the lock by which a node is known to live. */
async function lockHolder(node: string): Promise<number | null> {
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  const { rows } = await client.query<{ pid: number }>(
    `select pid from pg_locks where locktype = 'advisory' and mode = 'ExclusiveLock'
      and (classid::bigint << 32 | objid::bigint) = ${nodeLock("$1")}`,
    [node],
  );
  await client.end();
  return rows[0]?.pid ?? null;
}

async function isNamed(changes: AsyncIterator<ReadonlySet<string>>, log: string): Promise<boolean> {
  for (;;) {
    const next = await changes.next();
    if (next.done) return false;
    if (next.value.has(log)) return true;
  }
}

type NodeProcess = {
  node: string;
  lease: Lease;
  ask(command: "append" | "renew" | "release"): Promise<object>;
  signal(signal: "SIGSTOP" | "SIGCONT"): void;
  kill(): Promise<void>;
};

async function startNode(session: string, ttlMs: number): Promise<NodeProcess> {
  const node = ids.next("nod");
  const script = fileURLToPath(new URL("../../../test/store-node.ts", import.meta.url));
  const child: ChildProcessWithoutNullStreams = spawn(process.execPath, [
    script,
    database,
    node,
    session,
    `${ttlMs}`,
  ]);
  child.stderr.pipe(process.stderr);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const answer = async (): Promise<object> => {
    const line = await lines.next();
    if (line.done) throw new Error(`${node} is gone`);
    return JSON.parse(line.value) as object;
  };
  const { lease } = (await answer()) as { lease: Lease };
  const started: NodeProcess = {
    node,
    lease,
    ask(command) {
      child.stdin.write(`${command}\n`);
      return answer();
    },
    signal: (signal) => void child.kill(signal),
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
  processes.add(started);
  return started;
}
