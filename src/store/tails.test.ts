import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { makeFolder, openStore, owner } from "../../test/sqlite/open-store.ts";
import type { NewEvent } from "../session/event.ts";
import { formatPosition, START, type Position } from "../session/position.ts";
import { prepareBatch, type Batch } from "./batch.ts";
import type { Page } from "./store.ts";
import { openReader } from "./sqlite/database.ts";
import { readPage } from "./sqlite/read-page.ts";
import { Tails } from "./tails.ts";

const byOwner = { by: "client", author: owner } as const;
const notice = (text: string): NewEvent => ({ type: "notice", data: { level: "info", text } });
const draft = (text: string): NewEvent => ({
  type: "draft",
  data: { part: "s.1/0", kind: "text", offset: 0, text },
});
const batchOf = (...events: NewEvent[]): Batch => prepareBatch(events, "2026-11-15T09:00:00.000Z", owner);
const texts = (page: Page | undefined) =>
  page &&
  (JSON.parse(`[${page.bytes.toString()}]`) as { data: { text: string } }[]).map(({ data }) => data.text);

it("a tail says what the file says, after whatever was appended", { timeout: 60_000 }, async () => {
  const file = join(makeFolder(), "holdfast.db");
  const store = await openStore(file);
  const reader = openReader(file);
  const appends = fc.array(fc.array(fc.boolean(), { minLength: 1, maxLength: 4 }), {
    minLength: 1,
    maxLength: 12,
  });
  let made = 0;
  let remembered = 0;
  await fc.assert(
    fc.asyncProperty(appends, async (batches) => {
      const log = `ses_${made++}`;
      await store.createSession({ id: log, profile: "p" }, owner);
      const followed = new AbortController();
      store.watch(log, followed.signal);
      const positions: Position[] = [START, formatPosition(1, 0)];
      const tails = new Tails();
      for (const [n, facts] of batches.entries()) {
        const events = facts.map((isFact, m) => (isFact ? notice : draft)(`${n}.${m} ž`));
        const appended = await store.append(log, events, byOwner);
        if (!appended.ok) throw new Error(appended.code);
        positions.push(appended.position);
        tails.add(log, batchOf(...events), appended.position);
      }
      for (const after of positions) {
        const inFile = readPage(reader, log, after, 1 << 20);
        expect(await store.page(log, after, 1 << 20)).toEqual(inFile);
        if (tails.page(log, after, 1 << 20)) remembered += 1;
      }
      followed.abort();
    }),
    { numRuns: 40 },
  );
  reader.close();
  expect(remembered).toBeGreaterThan(100); // or the file was compared with itself
});

it("knows nothing of a position that no append ended at, nor of what comes after the last", () => {
  const tails = new Tails();
  tails.add("ses_a", batchOf(notice("one")), formatPosition(2, 0));
  tails.add("ses_a", batchOf(notice("two"), notice("three")), formatPosition(4, 0));
  expect(texts(tails.page("ses_a", formatPosition(2, 0), 1 << 20))).toEqual(["two", "three"]);
  for (const seq of [0, 1, 3, 4, 5])
    expect(tails.page("ses_a", formatPosition(seq, 0), 1 << 20)).toBeUndefined();
  expect(tails.page("ses_b", formatPosition(2, 0), 1 << 20)).toBeUndefined();
});

it("begins anew where something is missing", () => {
  const tails = new Tails();
  tails.add("ses_a", batchOf(notice("one")), formatPosition(2, 0));
  tails.add("ses_a", batchOf(notice("three")), formatPosition(4, 0));
  expect(tails.page("ses_a", formatPosition(2, 0), 1 << 20)).toBeUndefined();
  tails.add("ses_a", batchOf(draft("a")), formatPosition(4, 1));
  tails.add("ses_a", batchOf(draft("c")), formatPosition(4, 3));
  expect(tails.page("ses_a", formatPosition(4, 1), 1 << 20)).toBeUndefined();
  tails.add("ses_a", batchOf(draft("d")), formatPosition(4, 4));
  expect(texts(tails.page("ses_a", formatPosition(4, 3), 1 << 20))).toEqual(["d"]);
});

it("gives no more than was asked for, but something", () => {
  const tails = new Tails();
  for (let seq = 1; seq <= 10; seq++)
    tails.add("ses_a", batchOf(notice("x".repeat(1000))), formatPosition(seq, 0));
  const page = tails.page("ses_a", formatPosition(1, 0), 3_000);
  expect(page).toMatchObject({ count: 3, last: formatPosition(4, 0), upToDate: false });
  expect(tails.page("ses_a", formatPosition(1, 0), 1)).toMatchObject({ count: 1, upToDate: false });
  expect(tails.page("ses_a", formatPosition(8, 0), 1 << 20)).toMatchObject({ count: 2, upToDate: true });
});

it("keeps a bounded end of a bounded number of logs", () => {
  const tails = new Tails();
  for (let seq = 1; seq <= 200; seq++)
    tails.add("ses_a", batchOf(notice("x".repeat(1000))), formatPosition(seq, 0));
  expect(tails.page("ses_a", formatPosition(120, 0), 1 << 20)).toBeUndefined();
  expect(tails.page("ses_a", formatPosition(160, 0), 1 << 20)).toMatchObject({ count: 40 });
  for (let n = 0; n < 1_024; n++) tails.add(`ses_${n}`, batchOf(notice("x")), formatPosition(2, 0));
  expect(tails.page("ses_a", formatPosition(160, 0), 1 << 20)).toBeUndefined();
});

it("what was deleted is not remembered", async () => {
  const store = await openStore(join(makeFolder(), "holdfast.db"));
  await store.createSession({ id: "ses_a", profile: "p" }, owner);
  const followed = new AbortController();
  store.watch("ses_a", followed.signal);
  await store.append("ses_a", [notice("one")], byOwner);
  await store.append("ses_a", [notice("two")], byOwner);
  expect(await store.page("ses_a", formatPosition(2, 0), 1 << 20)).toMatchObject({ count: 1 });
  await store.deleteSession("ses_a", { force: true });
  expect(await store.page("ses_a", formatPosition(2, 0), 1 << 20)).toMatchObject({ count: 0 });
  followed.abort();
});
