import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { formatPosition, START } from "../../session/position.ts";
import { prepareBatch } from "../batch.ts";
import { Database, openWriter } from "./database.ts";
import { beginFork, copyEvents } from "./fork-copy.ts";
import { makeFolder, openStore, owner } from "../../../test/sqlite/open-store.ts";
import { writingTo } from "./writing.ts";

const byOwner = { by: "client", author: owner } as const;
const notice = (text: string) => ({ type: "notice", data: { level: "info", text } }) as const;

it("syncs each commit: nothing is acknowledged that only the system's memory has", () => {
  const database = openWriter(join(makeFolder(), "holdfast.db"));
  expect(database.tuple("pragma journal_mode")).toEqual(["wal"]);
  expect(database.tuple("pragma synchronous")).toEqual([2]); // FULL
  database.close();
});

it(
  "a queue that grows without end is refused as busy, and what was in it is done",
  { timeout: 60_000 },
  async () => {
    const store = await openStore(join(makeFolder(), "holdfast.db"));
    await store.createSession({ id: "ses_a", profile: "p" }, owner);
    const results = await Promise.allSettled(
      Array.from({ length: 10_050 }, (_, n) => store.append("ses_a", [notice(`${n}`)], byOwner)),
    );
    const refused = results.filter(({ status }) => status === "rejected");
    expect(refused.length).toBeGreaterThanOrEqual(50); // what the store does by itself waits in it too
    for (const result of refused) expect(result).toMatchObject({ reason: { kind: "busy" } });
    expect((await store.head("ses_a"))?.position).toBe(formatPosition(10_051 - refused.length, 0));
    expect(await store.append("ses_a", [notice("again")], byOwner)).toMatchObject({ ok: true });
  },
);

it("a fork that a crash cut short leaves nothing behind", { timeout: 20_000 }, async () => {
  const file = join(makeFolder(), "holdfast.db");
  const store = await openStore(file);
  await store.createSession({ id: "ses_a", profile: "p" }, owner);
  await store.append(
    "ses_a",
    Array.from({ length: 400 }, (_, n) => notice(`${n}`)),
    byOwner,
  );
  await store.close();

  const database = new Database(new DatabaseSync(file));
  const writing = writingTo(database);
  const begun = beginFork(writing, undefined);
  expect("key" in begun && copyEvents(writing, "ses_a", begun.key, 401)).toBe(formatPosition(250, 0));
  const count = () => database.tuple<[number]>("select count(*) from event")?.[0];
  expect(count()).toBeGreaterThan(401);
  const again = await openStore(file);
  await expect.poll(count).toBe(401);
  expect(await again.check()).toMatchObject({ events: 401, damaged: [], problems: [] });
  database.close();
});

it(
  "a page is read in a few statements however many sessions wrote in between",
  { timeout: 20_000 },
  async () => {
    const store = await openStore(join(makeFolder(), "holdfast.db"));
    const ids = Array.from({ length: 20 }, (_, n) => `ses_${n}`);
    for (const id of ids) await store.createSession({ id, profile: "p" }, owner);
    for (let round = 0; round < 60; round++)
      await Promise.all(
        ids.map((id) => store.append(id, [notice(`${round} a`), notice(`${round} b`)], byOwner)),
      );
    for (const id of ids) {
      const page = await store.page(id, START, 1_000_000);
      expect(page).toMatchObject({ count: 121, upToDate: true });
      expect(JSON.parse(`[${page.bytes.toString()}]`)).toEqual(await store.events(id, START, 1_000));
    }
  },
);

it("is for its owner's eyes only, and so is its backup", { timeout: 20_000 }, async () => {
  const folder = makeFolder();
  const store = await openStore(join(folder, "holdfast.db"));
  await store.backup(join(folder, "copy"));
  for (const name of ["holdfast.db", "holdfast.db-wal", "copy"])
    expect(statSync(join(folder, name)).mode & 0o077).toBe(0);
});

it("in a folder that is not there says so", async () => {
  await expect(openStore(join(makeFolder(), "none", "holdfast.db"))).rejects.toMatchObject({
    kind: "broken",
  });
});

it("keeps room to delete with, made a while after the start", { timeout: 20_000 }, async () => {
  const file = join(makeFolder(), "holdfast.db");
  await openStore(file);
  await expect.poll(() => existsSync(`${file}-ballast`), { timeout: 10_000 }).toBe(true);
});

it("an event's text is checked before anything is written of its batch", () => {
  expect(() => prepareBatch([notice("ok"), notice("x".repeat(300_000))], "2026", owner)).toThrow(RangeError);
});
