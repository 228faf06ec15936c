import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it, vi } from "vitest";
import type { NewEvent } from "../../session/event.ts";
import type { Store } from "../store.ts";
import { makeFolder, openStore, owner } from "../../../test/sqlite/open-store.ts";
import { formatPosition } from "../../session/position.ts";
import { prepareBatch } from "../batch.ts";
import { append } from "./append.ts";
import { Database, openWriter } from "./database.ts";
import { Group } from "./group.ts";
import { packBatch } from "./packed-batch.ts";
import { sweepSlice } from "./sweep.ts";
import { writingTo, type Writing } from "./writing.ts";

const byOwner = { by: "client", author: owner } as const;
const draft = (offset: number, part = "s1.1/0"): NewEvent => ({
  type: "draft",
  data: { part, kind: "text", offset, text: "x" },
});
const completed: NewEvent = { type: "step_completed", data: { step: "s1", attempt: 1, message: [] } };

it("the drafts of many go together some time after their facts, and those of others stay", async () => {
  const { store, database } = await openBoth();
  const logs = ["ses_a", "ses_b", "ses_c"];
  for (const id of logs) await store.createSession({ id, profile: "p" }, owner);
  for (let n = 0; n < 40; n++) await Promise.all(logs.map((log) => speak(store, log, n * 50)));
  for (const log of ["ses_a", "ses_b"]) await store.append(log, [completed], byOwner);
  await vi.waitFor(() => expect(draftsIn(database)).toBe(2_000), { timeout: 10_000 });
  await vi.waitFor(() => expect(rows(database, "drafting")).toBe(1));
  expect(await store.events("ses_c", (await startOf(store, "ses_c"))!, 3_000)).toHaveLength(2_000);
  database.close();
});

it("what another still says in the same log stays", async () => {
  const { writing, database } = await openWriting();
  write(writing, draft(0, "s1.1/0"), draft(0, "c1/0"), draft(1, "s1.1/0"), draft(1, "c1/0"));
  write(writing, completed);
  sweepAll(writing);
  expect(database.tuples("select owner from event where owner is not null")).toEqual([["c1"], ["c1"]]);
  database.close();
});

it("what is left of them between two slices is how they began", async () => {
  const { writing, database } = await openWriting();
  for (let n = 0; n < 60; n++) write(writing, ...Array.from({ length: 50 }, (_, m) => draft(n * 50 + m)));
  write(writing, completed);
  const lefts = new Set<number>();
  for (let isMore = true; isMore; isMore = writing.sweeps.slice()) {
    const left = draftsIn(database);
    lefts.add(left);
    expect(database.tuple("select max(sub) from event where owner is not null")).toEqual([left || null]);
  }
  expect(lefts.size).toBeGreaterThan(10);
  database.close();
});

it("all of them go, though a block ended in the middle of them", async () => {
  const { writing, database } = await openWriting();
  for (const step of ["s1", "s2", "s3"]) {
    for (let n = 0; n < 30; n++)
      write(writing, ...Array.from({ length: 50 }, (_, m) => draft(n * 50 + m, `${step}.1/0`)));
    write(writing, { type: "step_completed", data: { step, attempt: 1, message: [] } });
    sweepAll(writing);
    expect(draftsIn(database)).toBe(0);
  }
  expect(rows(database, "span")).toBeGreaterThan(1);
  database.close();
});

it("nor is there a hole in what another said whose fact came between two slices", async () => {
  const { writing, database } = await openWriting();
  const finished: NewEvent = { type: "tool_finished", data: { call: "c1", status: "ok", result: "" } };
  for (let moment = 1, isMore = true; isMore; moment++) {
    for (let n = 0; n < 20; n++)
      write(writing, ...Array.from({ length: 50 }, (_, m) => draft(n * 50 + m, "c1/0")));
    write(writing, draft(0));
    write(writing, completed);
    for (let n = 0; n < moment && isMore; n++) isMore = writing.sweeps.slice();
    write(writing, finished);
    for (let isLeft = true; isLeft; isLeft = writing.sweeps.slice()) {
      const [left, last] = database.tuple<[number, number | null]>(
        "select count(*), max(text ->> '$.data.offset') from event where owner = 'c1'",
      ) ?? [0, null];
      expect(last).toBe(left === 0 ? null : left - 1);
    }
    expect(draftsIn(database)).toBe(0);
  }
  database.close();
});

it("what the same one says and ends while it is being removed goes too, whenever that is", async () => {
  const { writing, database } = await openWriting();
  for (let moment = 1, isMore = true; isMore; moment++) {
    write(writing, draft(0));
    write(writing, completed);
    for (let n = 0; n < moment && isMore; n++) isMore = writing.sweeps.slice();
    write(writing, draft(1));
    write(writing, completed);
    sweepAll(writing);
    expect(draftsIn(database), `after ${moment} slices`).toBe(0);
    expect(rows(database, "drafting")).toBe(0);
  }
  database.close();
});

it("what a verb beside it made undone is removed all the same", async () => {
  const { writing, database } = await openWriting();
  for (let n = 0; n < 12; n++) write(writing, ...Array.from({ length: 50 }, (_, m) => draft(n * 50 + m)));
  write(writing, completed);
  const throws = () => {
    throw new Error("a mistake of ours");
  };
  const group = new Group({ writing, verbs: { sweepSlice, throws }, admit: () => {}, failed: () => {} });
  group.add(["sweepSlice"]);
  group.add(["sweepSlice"]);
  group.add(["throws"]);
  expect(group.commit()).toMatchObject([[true], [true], [null, { message: "a mistake of ours" }]]);
  sweepAll(writing);
  expect(draftsIn(database)).toBe(0);
  database.close();
});

it("what a crash or a rollback left is removed all the same", async () => {
  const { store, database, file } = await openBoth();
  await store.createSession({ id: "ses_a", profile: "p" }, owner);
  for (let n = 0; n < 12; n++) await speak(store, "ses_a", n * 50);
  await store.close();

  const connection = openWriter(file);
  const writing = writingTo(connection);
  const fact = packBatch(prepareBatch([completed], "2026-11-15T09:00:00.000Z", owner), 0);
  expect(append(writing, "ses_a", fact, 0, null, null)).toBe(formatPosition(2, 0));
  expect(draftsIn(database)).toBe(600); // a fact waits for none of this
  connection.exec("begin immediate");
  expect(writing.sweeps.slice()).toBe(true);
  connection.exec("rollback");
  writing.sweeps.forget();
  sweepAll(writing);
  connection.close();
  expect(draftsIn(database)).toBe(0);
  expect(rows(database, "drafting")).toBe(0);
  expect(rows(database, "event")).toBe(2);
  database.close();
});

async function openBoth(): Promise<{ store: Store; database: Database; file: string }> {
  const file = join(makeFolder(), "holdfast.db");
  const store = await openStore(file);
  return { store, database: new Database(new DatabaseSync(file, { readOnly: true })), file };
}

/** A log by itself, in this thread. */
async function openWriting(): Promise<{ writing: Writing; database: Database }> {
  const { store, database: reader, file } = await openBoth();
  await store.createSession({ id: "ses_a", profile: "p" }, owner);
  await store.close();
  reader.close();
  const database = openWriter(file);
  database.exec("pragma synchronous = off"); // here each row is a commit of its own, thousands in a test
  return { writing: writingTo(database), database };
}

function write(writing: Writing, ...events: NewEvent[]): void {
  const batch = packBatch(prepareBatch(events, "2026-11-15T09:00:00.000Z", owner), 0);
  expect(append(writing, "ses_a", batch, 0, null, null)).toBeTypeOf("string");
}

function sweepAll(writing: Writing): void {
  for (let n = 0; n < 100 && writing.sweeps.slice(); n++);
}

async function speak(store: Store, log: string, from: number): Promise<void> {
  await store.append(
    log,
    Array.from({ length: 50 }, (_, n) => draft(from + n)),
    byOwner,
  );
}

async function startOf(store: Store, log: string) {
  return (await store.eventsBefore(log, (await store.head(log))!.position, 1))[0]?.position;
}

function draftsIn(database: Database): number {
  return database.tuple<[number]>("select count(*) from event where owner is not null")?.[0] ?? -1;
}

function rows(database: Database, table: string): number {
  return database.tuple<[number]>(`select count(*) from ${table}`)?.[0] ?? -1;
}
