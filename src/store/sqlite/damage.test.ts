import { closeSync, openSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import type { AnyEvent } from "../../session/event.ts";
import { formatPosition, START } from "../../session/position.ts";
import { goodPrefix } from "../good-prefix.ts";
import { DamagedEvent } from "../store.ts";
import { makeFolder, openStore, owner } from "../../../test/sqlite/open-store.ts";
import { inspectSqlite } from "./inspect.ts";
import { restoreSqlite } from "./restore.ts";

it("a flipped bit in an event is named, and the log is good up to it", { timeout: 30_000 }, async () => {
  const file = join(makeFolder(), "holdfast.db");
  await fill(file, "ses_a", 400);
  await flip(file, "text number 300,");
  const store = await openStore(file);
  const at = formatPosition(302, 0);

  expect(await store.check()).toMatchObject({ damaged: [{ log: "ses_a", position: at }] });
  await expect(store.events("ses_a", START, 1_000)).rejects.toThrow(DamagedEvent);
  await expect(store.view("ses_a")).rejects.toThrow(at);

  const page = await store.page("ses_a", START, 1_000_000);
  expect(page).toMatchObject({ count: 301, last: formatPosition(301, 0), upToDate: false });
  await expect(store.page("ses_a", page.last, 1_000_000)).rejects.toThrow(at);
  expect(await store.page("ses_a", at, 1_000_000)).toMatchObject({ count: 99, upToDate: true });

  const prefix = goodPrefix(store, "ses_a");
  let good = 0;
  let next = await prefix.next();
  for (; !next.done; next = await prefix.next()) good += 1;
  expect([good, next.value]).toEqual([301, at]);
});

it("the rest of a damaged store goes on", { timeout: 30_000 }, async () => {
  const file = join(makeFolder(), "holdfast.db");
  await fill(file, "ses_a", 20);
  await fill(file, "ses_b", 20);
  await flip(file, "ses_a text number 7,");
  const store = await openStore(file);
  expect(await store.events("ses_b", START, 100)).toHaveLength(21);
  expect(
    await store.append("ses_a", [{ type: "notice", data: { level: "info", text: "on" } }], {
      by: "client",
      author: owner,
    }),
  ).toMatchObject({ ok: true, position: formatPosition(22, 0) });
});

it("a damaged backup is not restored, and what is there stays", { timeout: 30_000 }, async () => {
  const folder = makeFolder();
  const file = join(folder, "holdfast.db");
  const store = await openStore(file);
  await store.createSession({ id: "ses_a", profile: "p", title: "a title to be damaged" }, owner);
  await store.backup(join(folder, "copy"));
  await store.close();
  await flip(join(folder, "copy"), "a title to be damaged");
  await expect(
    restoreSqlite(join(folder, "copy"), file, { newStoreId: "sto_new", now: Date.now() }),
  ).rejects.toMatchObject({ kind: "broken" });
  const again = await openStore(file);
  expect(again.id).toBe(store.id);
  expect(await again.session("ses_a", "owner")).toMatchObject({ title: "a title to be damaged" });
});

it("behind damaged pages the scan goes on: each log is named or whole, and its beginning is rescued", async () => {
  const folder = makeFolder();
  const file = join(folder, "holdfast.db");
  for (const log of ["ses_a", "ses_b", "ses_c"]) await fill(file, log, 400);
  spoilPage(file, "ses_b text number 100,");
  const { damaged, problems, rescued, events } = inspectSqlite(file, join(folder, "rescued"));

  expect(damaged.map(({ log }) => log)).toEqual(["ses_b"]);
  expect(problems.length).toBeGreaterThan(0);
  expect(problems.join()).not.toContain("holdfast doctor");
  expect(events).toBeGreaterThan(1_000);
  const [a, b, c] = ["ses_a", "ses_b", "ses_c"].map((log) => rescued.find((each) => each.log === log)!);
  expect([a!.events, c!.events]).toEqual([401, 401]);
  expect(b!.events).toBeGreaterThan(50);
  expect(b!.events).toBeLessThanOrEqual(101);
  const lines = readFileSync(b!.file, "utf8").trimEnd().split("\n");
  expect(lines.map((line) => (JSON.parse(line) as AnyEvent).position)).toEqual(
    lines.map((_, n) => formatPosition(n + 1, 0)),
  );
  expect(damaged[0]!.position).toBe(formatPosition(b!.events + 1, 0));
}, 30_000);

it("events that lost their index are rescued all the same", { timeout: 30_000 }, async () => {
  const folder = makeFolder();
  const file = join(folder, "holdfast.db");
  await fill(file, "ses_a", 50);
  for (const index of ["span", "event_place"]) spoilRoot(file, index);
  const { damaged, rescued, problems } = inspectSqlite(file, join(folder, "rescued"));
  expect(rescued).toMatchObject([{ log: "ses_a", events: 51 }]);
  expect(damaged).toEqual([]);
  expect(problems.length).toBeGreaterThan(0);
});

it("a file of which nothing can be read is said to be that", async () => {
  const folder = makeFolder();
  const file = join(folder, "holdfast.db");
  writeFileSync(file, Buffer.alloc(64 * 1024, 7));
  const { problems, rescued, store } = inspectSqlite(file, join(folder, "rescued"));
  expect([rescued, store]).toEqual([[], null]);
  expect(problems).toEqual([
    expect.stringContaining(`nothing of ${file} can be read (file is not a database)`),
  ]);
});

async function fill(file: string, session: string, facts: number): Promise<void> {
  const store = await openStore(file);
  await store.createSession({ id: session, profile: "p" }, owner);
  await store.append(
    session,
    Array.from({ length: facts }, (_, n) => ({
      type: "notice" as const,
      data: { level: "info" as const, text: `${session} text number ${n}, ${"x".repeat(100)}` },
    })),
    { by: "client", author: owner },
  );
  await store.close();
}

/** One bit of the last place where `text` stands in the file. */
async function flip(file: string, text: string): Promise<void> {
  const bytes = readFileSync(file);
  const places: number[] = [];
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) places.push(at);
  expect(places.length).toBeGreaterThan(0);
  const handle = openSync(file, "r+");
  for (const at of places) writeSync(handle, Buffer.from([bytes[at]! ^ 1]), 0, 1, at);
  closeSync(handle);
}

const PAGE_BYTES = 4096;

/** The page that has this text becomes noise, as where a disk lost a block. */
function spoilPage(file: string, text: string): void {
  const at = readFileSync(file).indexOf(text);
  expect(at).toBeGreaterThan(0);
  overwritePage(file, Math.floor(at / PAGE_BYTES));
}

function spoilRoot(file: string, name: string): void {
  const database = new DatabaseSync(file, { readOnly: true });
  const found = database.prepare("select rootpage from sqlite_schema where name = ?").get(name);
  database.close();
  overwritePage(file, Number(found?.["rootpage"]) - 1);
}

function overwritePage(file: string, page: number): void {
  const handle = openSync(file, "r+");
  writeSync(handle, Buffer.alloc(PAGE_BYTES, 0xa5), 0, PAGE_BYTES, page * PAGE_BYTES);
  closeSync(handle);
}
