import pg from "pg";
import { beforeEach, expect, it } from "vitest";
import { closeNode, openNode } from "../../../test/open-postgres.ts";
import { useDatabase } from "../../../test/postgres.ts";
import { expectCounted, report, step, useModels } from "../../../test/used-before.ts";

const database = await useDatabase();

/** As nodes of a version left it that had not heard of this. */
beforeEach(async () => {
  const other = new pg.Client({ connectionString: database });
  await other.connect();
  await other.query("drop schema public cascade; create schema public");
  const store = await openNode(database);
  await useModels(store);
  await closeNode(store);
  await other.query(`drop table usage_day; drop table usage_left; alter table session drop column unpriced_tokens;
    delete from migration where number = 11`);
  await other.end();
});

it("what sessions used before that was counted is counted once, by however many nodes and however often that is cut off", async () => {
  for (let n = 0; n < 3; n++) await closeNode(await openNode(database));
  const nodes = await Promise.all([1, 2, 3].map(() => openNode(database)));
  for (const node of nodes) await expectCounted(node);
});

it("what is used while what was used before is counted counts once", async () => {
  const store = await openNode(database);
  for (let n = 0; n < 20; n++)
    await store.append("ses_a", step(n, "m1", { inputTokens: 0, outputTokens: 0, cost: 0 }), {
      by: "client",
      author: { person: "owner" },
    });
  await expect.poll(async () => (await report(store)).uncounted).toBe(0);
  expect((await report(store)).total.steps).toBe(172);
});

it("a session that is deleted before it was counted is not waited for", async () => {
  const store = await openNode(database);
  for (const id of ["ses_a", "ses_b", "ses_f"]) await store.deleteSession(id, { force: true });
  await expect.poll(async () => (await report(store)).uncounted).toBe(0);
});
