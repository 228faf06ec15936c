import { join } from "node:path";
import { expect, it } from "vitest";
import { makeFolder } from "../../../test/sqlite/open-store.ts";
import { dropBlob, readBlob } from "./blob.ts";
import type { Context } from "./context.ts";
import { openWriter } from "./database.ts";
import type { Verb } from "./group.ts";
import { migrate } from "./migrate.ts";
import { putBlob } from "./upload.ts";
import { verbs } from "./verbs.ts";
import { writingTo } from "./writing.ts";

const BYTES = Buffer.from("a long text");

it("bytes that tidy drops while they are put are put anew before it is said that they are there", async () => {
  const { context, database, dropped } = open(1);
  const { blob } = await putBlob(context, "ses_a", BYTES);
  expect(dropped()).toBe(1);
  expect(readBlob(database, blob)).toEqual(BYTES);
});

it("bytes that are dropped each time are told as not there, and not tried for ever", async () => {
  const { context } = open(Infinity);
  await expect(putBlob(context, "ses_a", BYTES)).rejects.toMatchObject({ kind: "busy" });
});

/** A writer that drops what is put, as tidy does, just before it is finished: so many times. */
function open(times: number) {
  const database = openWriter(join(makeFolder(), "holdfast.db"));
  migrate(database);
  const writing = writingTo(database);
  let dropped = 0;
  const call = async (verb: keyof typeof verbs, ...args: unknown[]) => {
    if (verb === "finishBlob" && dropped < times) {
      dropped += 1;
      while (dropBlob(writing, args[0] as number));
    }
    return (verbs[verb] as Verb)(writing, ...(args as never[]));
  };
  const context = { writer: { call }, clock: () => 1_000 } as unknown as Context; // no more of it is used
  return { context, database, dropped: () => dropped };
}
