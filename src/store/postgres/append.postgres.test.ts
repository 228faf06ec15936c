// What PostgreSQL itself has to prove about appends: several statements and several nodes at once.
import pg from "pg";
import { afterAll, expect, it } from "vitest";
import {
  byOwner,
  claim,
  ids,
  newSession,
  notice,
  noticesIn,
  openNode,
  owner,
} from "../../../test/open-postgres.ts";
import { useDatabase } from "../../../test/postgres.ts";
import { parsePosition, seqOf, START, type Position } from "../../session/position.ts";
import { prepareBatch } from "../batch.ts";
import type { Appended } from "../store.ts";
import { groupOf } from "./append-group.ts";
import { appendStatement } from "./append-statement.ts";

const database = await useDatabase();
const raw = new pg.Client({ connectionString: database });
await raw.connect();
afterAll(() => raw.end());

it("fifty appends to one session at once are gapless and in the order of the calls", async () => {
  const store = await openNode(database);
  const session = await newSession(store);
  const appended = await Promise.all(
    Array.from({ length: 50 }, (_, n) => store.append(session, [notice(`n${n}`)], byOwner)),
  );
  expect(appended.map(seqOfAppended)).toEqual(Array.from({ length: 50 }, (_, n) => n + 2));
  expect(await noticesIn(store, session)).toEqual(Array.from({ length: 50 }, (_, n) => `n${n}`));
});

it("drafts and facts of one lease that are asked for in one tick stand in the order of the calls", async () => {
  const store = await openNode(database);
  const session = await newSession(store);
  const writer = { by: "executor", lease: await claim(store, session) } as const;
  const draft = (text: string) =>
    ({ type: "draft", data: { part: "s.1/0", kind: "text", offset: 0, text } }) as const;
  const appended = await Promise.all([
    store.append(session, [draft("a")], writer),
    store.append(session, [draft("b"), draft("c")], writer),
    store.append(session, [notice("fact")], writer),
    store.append(session, [draft("d")], writer),
    store.append(session, [draft("e"), notice("another"), draft("f")], writer),
  ]);
  expect(appended.map((each) => (each.ok ? parsePosition(each.position) : each))).toEqual([
    { seq: 1, sub: 1 },
    { seq: 1, sub: 3 },
    { seq: 2, sub: 0 },
    { seq: 2, sub: 1 },
    { seq: 3, sub: 1 },
  ]);
  const events = await store.events(session, START, 100);
  expect(events.map(({ position }) => position)).toEqual(events.map(({ position }) => position).toSorted());
  const texts = events.map(({ data }) => (data as { text?: string }).text);
  expect(texts).toEqual([undefined, "a", "b", "c", "fact", "d", "e", "another", "f"]);
});

it("what sessions bring in one tick is each one's own, be it one event or several, facts or drafts", async () => {
  const store = await openNode(database);
  const [one, several, speaking, mixed, named, ended] = (await Promise.all(
    Array.from({ length: 6 }, () => newSession(store)),
  )) as [string, string, string, string, string, string];
  const draft = (text: string) =>
    ({ type: "draft", data: { part: "s.1/0", kind: "text", offset: 0, text } }) as const;
  const input = (text: string) =>
    ({ type: "input_admitted", data: { input: ids.next("inp"), kind: "prompt", text } }) as const;
  const titled = (title: string) => ({ type: "session_titled", data: { title } }) as const;
  const writer = { by: "executor", lease: await claim(store, speaking) } as const;
  const appends = () => [
    store.append(one, [input("heliotrope")], byOwner),
    store.append(several, [notice("x"), input("cerulean"), draft("a"), draft("b")], byOwner),
    store.append(speaking, [draft("c")], writer),
    store.append(mixed, [draft("d"), input("vermilion"), notice("y")], byOwner),
    store.append(named, [titled("ochre")], byOwner),
  ];
  const ends = { type: "session_ended", data: { reason: "done" } } as const;
  const first = await Promise.all([...appends(), store.append(ended, [input("sienna"), ends], byOwner)]);
  expect(first.map(placeOf)).toEqual(["2.0", "3.2", "1.1", "3.0", "2.0", "3.0"]);
  const again = await Promise.all([
    ...appends(),
    store.append(ended, [notice("late")], byOwner),
    store.append(one, [notice("moved")], byOwner, { expectSeq: 1 }),
  ]);
  expect(again.map(placeOf)).toEqual(["3.0", "5.2", "1.2", "5.0", "3.0", "ended", "moved"]);

  const textsOf = async (session: string) =>
    (await store.events(session, START, 100)).map(({ data }) => (data as { text?: string }).text);
  expect(await textsOf(several)).toEqual([undefined, "x", "cerulean", "a", "b", "x", "cerulean", "a", "b"]);
  expect(await textsOf(mixed)).toEqual([undefined, "d", "vermilion", "y", "d", "vermilion", "y"]);
  expect(await textsOf(speaking)).toEqual([undefined, "c", "c"]);
  const rows = await store.sessionsById([one, several, speaking, mixed, named, ended], "owner");
  expect(rows.map(({ messages, title, status }) => [messages, title, status === "ended"])).toEqual([
    [2, null, false],
    [2, null, false],
    [0, null, false],
    [2, null, false],
    [0, "ochre", false],
    [1, null, true],
  ]);
  const words = ["heliotrope", "cerulean", "vermilion", "ochre", "sienna"];
  const found = words.map(async (q) => (await store.search({ q, limit: 10 })).items.length);
  expect(await Promise.all(found)).toEqual([2, 2, 2, 2, 1]);
  expect((await store.check()).problems).toEqual([]);
});

it("two nodes that append to the same sessions at once leave every log gapless and every row right", async () => {
  const [one, two] = await Promise.all([openNode(database), openNode(database)]);
  const sessions = await Promise.all(Array.from({ length: 8 }, () => newSession(one)));
  const input = (text: string) =>
    ({ type: "input_admitted", data: { input: ids.next("inp"), kind: "prompt", text } }) as const;
  const work = [one, two].flatMap((store, node) =>
    Array.from({ length: 40 }, async (_, n) => {
      const session = sessions[n % sessions.length] as string;
      // Half of them with a key, so that both ways of appending meet on the same rows.
      const command = n % 2 === 0 ? { scope: "s", key: `${node}-${n}`, digest: "d" } : undefined;
      const writer = { by: "client", author: owner, ...(command && { command }) } as const;
      return store.append(session, [input(`${node}-${n}`)], writer);
    }),
  );
  const appended = await Promise.all(work);
  expect(appended.every(({ ok }) => ok)).toBe(true);
  const rows = await one.sessionsById(sessions, "owner");
  for (const { messages, queued, position } of rows) {
    expect({ messages, queued, seq: seqOf(position) }).toEqual({ messages: 10, queued: 10, seq: 11 });
  }
  expect((await one.check()).problems).toEqual([]);
});

it("appends and arrangements of one session never wait for each other in a circle", async () => {
  const [one, two] = await Promise.all([openNode(database), openNode(database)]);
  const session = await newSession(one);
  const titled = (title: string) => ({ type: "session_titled", data: { title } }) as const; // changes the row, too
  for (let round = 0; round < 20; round++)
    await Promise.all([
      one.append(session, [titled(`${round}`)], byOwner),
      two.arrangeSession(session, { pinned: round % 2 === 0 }),
      two.append(session, [titled(`${round}, again`)], byOwner),
      one.arrangeSession(session, { archived: round % 2 === 0 }),
    ]);
  expect(await one.session(session, "owner")).toMatchObject({ pinned: false, archived: false });
  const { rows } = await raw.query<{ deadlocks: string }>(
    "select deadlocks from pg_stat_database where datname = current_database()",
  );
  expect(rows[0]?.deadlocks).toBe("0");
});

it("a reader never skips an event of a transaction that is still open, however others commit meanwhile", async () => {
  const store = await openNode(database);
  const session = await newSession(store);
  const { last: before } = await store.page(session, START, 1e6);

  await raw.query("begin");
  await raw.query(rawAppend(session, "first"));
  const second = store.append(session, [notice("second")], byOwner); // waits for the row that numbers the facts
  await untilSomeoneWaits();
  expect(await store.page(session, before, 1e6)).toMatchObject({ count: 0, last: before });
  await raw.query("commit");

  expect(seqOfAppended(await second)).toBe(seqOf(before) + 2);
  const { bytes, count } = await store.page(session, before, 1e6);
  expect(count).toBe(2);
  expect(JSON.parse(`[${bytes.toString()}]`)).toMatchObject([
    { data: { text: "first" } },
    { data: { text: "second" } },
  ]);
});

it("an append behind a transaction that is rolled back takes the number that was given up", async () => {
  const store = await openNode(database);
  const session = await newSession(store);
  await raw.query("begin");
  await raw.query(rawAppend(session, "never"));
  const appended = store.append(session, [notice("only")], byOwner);
  await untilSomeoneWaits();
  await raw.query("rollback");
  expect(seqOfAppended(await appended)).toBe(2);
  expect(await noticesIn(store, session)).toEqual(["only"]);
});

it("one append that PostgreSQL can't take does not cost the others of its tick theirs", async () => {
  const store = await openNode(database);
  const [good, bad] = await Promise.all([newSession(store), newSession(store)]);
  // Someone's hand put an event where the next one belongs.
  await raw.query(
    `insert into event (log, seq, crc, text) select $1, seq + 1, 0, 'stray' from log where id = $1`,
    [bad],
  );
  const [refused, appended] = await Promise.allSettled([
    store.append(bad, [notice("x")], byOwner),
    store.append(good, [notice("y")], byOwner),
  ]);
  expect(refused).toMatchObject({ status: "rejected", reason: { kind: "broken" } });
  expect(appended).toMatchObject({ status: "fulfilled", value: { ok: true } });
  expect(await noticesIn(store, good)).toEqual(["y"]);
  await raw.query("delete from event where text = 'stray'");
});

it("texts with NULs, lone surrogates, quotes and backslashes come back byte for byte", async () => {
  const store = await openNode(database);
  const session = await newSession(store);
  const text = `nul \0 lone \ud800 quote " back \\ brace {a,b} emoji 🪢 null`;
  await store.append(session, [notice(text), { type: "session_titled", data: { title: text } }], byOwner);
  expect(await noticesIn(store, session)).toEqual([text]);
  const { bytes } = await store.page(session, START, 1e6);
  expect((JSON.parse(`[${bytes.toString()}]`) as { data: object }[])[1]?.data).toEqual({
    level: "info",
    text,
  });
  expect((await store.session(session, "owner"))?.title).toContain("emoji 🪢 null");
});

it("tidy does not take a blob that somebody puts again at that moment", async () => {
  const store = await openNode(database);
  const [old, young] = await Promise.all([newSession(store), newSession(store)]);
  const bytes = Buffer.from("a text that two sessions have");
  const { blob } = await store.putBlob(old, bytes);
  await store.deleteSession(old, { force: true }); // now nobody has it
  await raw.query("begin");
  await raw.query("select from blob where id = $1 for update", [blob]);
  const put = store.putBlob(young, bytes);
  await untilWaiting(1);
  const tidied = store.tidy(); // has seen that nobody has it, and comes behind whoever puts it
  await untilWaiting(2);
  await raw.query("rollback");
  await Promise.all([put, tidied]);
  expect(await store.blob(blob)).toEqual(bytes);
});

function placeOf(appended: Appended): string {
  if (!appended.ok) return appended.code;
  const place = parsePosition(appended.position);
  return `${place?.seq}.${place?.sub}`;
}

function seqOfAppended(appended: Appended): number | string {
  return appended.ok ? seqOf(appended.position as Position) : appended.code;
}

function rawAppend(session: string, text: string): { text: string; values: never[] } {
  const at = Date.now();
  const time = new Date(at).toISOString();
  const batch = prepareBatch([notice(text)], time, owner);
  const plain = { expectSeq: undefined, key: undefined, note: undefined, starts: [], retries: 0 };
  const callbacks = { resolve: () => {}, reject: () => {} };
  const group = groupOf({ log: session, batch, at, time, writer: byOwner, ...plain, ...callbacks });
  const statement = appendStatement({
    id: ids.next("nod"),
    forget: [],
    groups: [group],
    now: null,
    startOf: () => 0,
  });
  return { text: statement.text, values: statement.values as never[] };
}

/** For a row of this database. */
async function untilWaiting(many: number): Promise<void> {
  const waiting =
    "select from pg_stat_activity where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0";
  await expect.poll(async () => (await raw.query(waiting)).rowCount, { timeout: 4_000 }).toBe(many);
}

async function untilSomeoneWaits(): Promise<void> {
  await expect
    .poll(async () => (await raw.query("select from pg_locks where not granted")).rowCount, {
      timeout: 4_000,
    })
    .toBeGreaterThan(0);
}
