import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import type { AnyEvent } from "../../session/event.ts";
import { START } from "../../session/position.ts";
import type { Store } from "../store.ts";
import { makeFolder, openStore, owner } from "../../../test/sqlite/open-store.ts";

it.each([
  ["one fact's own checksum is wrong", "update event set crc = crc + 1 where seq = 50"],
  ["the checksum of all up to one is wrong", "update event set chain = chain + 1 where seq = 50"],
  ["the last of those is", "update event set chain = chain + 1 where seq = 101"],
  ["the first of those is", "update event set chain = chain + 1 where seq = 1"],
])("facts that are as they were written are sent, though %s", async (_, spoil) => {
  const { file, written } = await filled(100);
  change(file, spoil);
  expect(await textsOf(await openStore(file))).toEqual(written);
});

it.each([
  ["its text", "update event set text = replace(text, 'number 49', 'number 4g') where seq = 50"],
  ["its text and its own checksum", "update event set text = text || ' ', crc = crc + 1 where seq = 50"],
])("a fact is not sent when %s was changed", async (_, spoil) => {
  const { file, written } = await filled(100);
  change(file, spoil);
  const store = await openStore(file);
  const { bytes, last } = await store.page("ses_a", START, 1 << 20);
  expect(eventsIn(bytes).map(({ data }) => data)).toEqual(written.slice(0, 49));
  await expect(store.page("ses_a", last, 1 << 20)).rejects.toThrow("damaged");
});

it("facts from before they were checked together are read as ever, and so are those behind them", async () => {
  const { file, written } = await filled(100);
  change(file, "update event set chain = null");
  const store = await openStore(file);
  written.push(await say(store, 101), await say(store, 102));
  expect(await textsOf(store)).toEqual(written);
  await store.close();
  const again = await openStore(file);
  written.push(await say(again, 103));
  expect(await textsOf(again)).toEqual(written);
});

async function filled(notices: number): Promise<{ file: string; written: unknown[] }> {
  const file = join(makeFolder(), "holdfast.db");
  const store = await openStore(file);
  await store.createSession({ id: "ses_a", profile: "p" }, owner);
  const [created] = await store.events("ses_a", START, 1);
  const written: unknown[] = [created?.data];
  for (let n = 1; n <= notices; n++) written.push(await say(store, n));
  await store.close();
  return { file, written };
}

async function say(store: Store, n: number): Promise<object> {
  const data = { level: "info", text: `number ${n} ž` } as const;
  await store.append("ses_a", [{ type: "notice", data }], { by: "client", author: owner });
  return data;
}

function change(file: string, sql: string): void {
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
}

async function textsOf(store: Store): Promise<unknown[]> {
  const { bytes, upToDate } = await store.page("ses_a", START, 1 << 20);
  expect(upToDate).toBe(true);
  return eventsIn(bytes).map(({ data }) => data);
}

function eventsIn(bytes: Buffer): AnyEvent[] {
  return JSON.parse(`[${bytes.toString()}]`) as AnyEvent[];
}
