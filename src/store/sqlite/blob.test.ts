import { expect, it } from "vitest";
import { join } from "node:path";
import { makeFolder } from "../../../test/sqlite/open-store.ts";
import { beginBlob, dropBlob, finishBlob, readBlob, putChunk } from "./blob.ts";
import { openWriter } from "./database.ts";
import { migrate } from "./migrate.ts";
import { orphanedBlobs } from "./tidy.ts";
import { writingTo, type Writing } from "./writing.ts";

const TIDY_BEFORE = 1_000;

it("a blob that tidy drops between the two ends of a put is put anew", () => {
  const writing = open();
  const { key } = put(writing, 10);
  const [orphan] = orphanedBlobs(writing, TIDY_BEFORE);
  expect(orphan).toBe(key);
  dropAll(writing, key); // after whoever puts the same bytes was told that they are there
  expect(finishBlob(writing, key, "bytes", "ses_a", 2_000)).toBe(false);
  put(writing, 2_000);
  expect(readBlob(writing.database, "bytes")?.toString()).toBe("said");
});

it("a blob that is put again for a log that is yet to be made is none that tidy drops", () => {
  const writing = open();
  const { key } = put(writing, 10);
  expect(orphanedBlobs(writing, TIDY_BEFORE)).toEqual([key]);
  expect(put(writing, 2_000)).toEqual({ key, complete: true });
  expect(dropBlob(writing, key, TIDY_BEFORE)).toBe(false); // it was an orphan when tidy looked
  expect(readBlob(writing.database, "bytes")?.toString()).toBe("said");
  expect(orphanedBlobs(writing, TIDY_BEFORE)).toEqual([]);
});

it("a blob is none that tidy drops from the moment at which it is put again, and from that at which it is whole", () => {
  const writing = open();
  const { key } = put(writing, 10);
  expect(beginBlob(writing, "bytes", 4, TIDY_BEFORE)).toEqual({ key, complete: true });
  expect(orphanedBlobs(writing, TIDY_BEFORE)).toEqual([]);
  const slow = beginBlob(writing, "other bytes", 4, 10);
  expect(finishBlob(writing, slow.key, "other bytes", "ses_none_yet", TIDY_BEFORE)).toBe(true);
  expect(orphanedBlobs(writing, TIDY_BEFORE)).toEqual([]);
});

it("who puts bytes that are being dropped has a blob of his own, of which nothing goes", () => {
  const writing = open();
  const { key } = put(writing, 10);
  expect(dropBlob(writing, key)).toBe(true);
  const own = put(writing, 10);
  expect(own.key).not.toBe(key);
  while (dropBlob(writing, key));
  expect(readBlob(writing.database, "bytes")?.toString()).toBe("said");
});

function open(): Writing {
  const database = openWriter(join(makeFolder(), "holdfast.db"));
  migrate(database);
  return writingTo(database);
}

function put(writing: Writing, now: number): { key: number; complete: boolean } {
  const begun = beginBlob(writing, "bytes", 4, now);
  if (!begun.complete) putChunk(writing, begun.key, 0, Buffer.from("said"));
  expect(finishBlob(writing, begun.key, "bytes", "ses_none_yet", now)).toBe(true);
  return begun;
}

function dropAll(writing: Writing, key: number): void {
  while (dropBlob(writing, key, TIDY_BEFORE));
}
