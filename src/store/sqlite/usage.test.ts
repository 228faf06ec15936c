import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { makeFolder, openStore } from "../../../test/sqlite/open-store.ts";
import { expectCounted, report, step, useModels } from "../../../test/used-before.ts";

it("what sessions used before that was counted is counted from their logs, once, however often that is cut off", async () => {
  const file = await fileFromBefore();
  for (let n = 0; n < 3; n++) await (await openStore(file)).close();
  await expectCounted(await openStore(file));
});

it("what is used while what was used before is counted counts once", async () => {
  const file = await fileFromBefore();
  const store = await openStore(file);
  for (let n = 0; n < 20; n++)
    await store.append("ses_a", step(n, "m1", { inputTokens: 0, outputTokens: 0, cost: 0 }), {
      by: "client",
      author: { person: "owner" },
    });
  await expect.poll(async () => (await report(store)).uncounted).toBe(0);
  expect((await report(store)).total.steps).toBe(172);
});

it("a session that is deleted before it was counted is not waited for", async () => {
  const file = await fileFromBefore();
  const store = await openStore(file);
  for (const id of ["ses_a", "ses_b", "ses_f"]) await store.deleteSession(id, { force: true });
  await expect.poll(async () => (await report(store)).uncounted).toBe(0);
});

/** As a version left it that had not heard of this. */
async function fileFromBefore(): Promise<string> {
  const file = join(makeFolder(), "holdfast.db");
  const store = await openStore(file);
  await useModels(store);
  await store.close();
  const database = new DatabaseSync(file);
  database.exec(`drop table usage_day; drop table usage_left; alter table session drop column unpriced_tokens;
    delete from migration where number = 11`);
  database.close();
  return file;
}
