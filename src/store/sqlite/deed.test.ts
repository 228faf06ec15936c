import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { makeFolder, openStore, owner } from "../../../test/sqlite/open-store.ts";
import { DEEDS_KEPT } from "../store.ts";

it("of very many deeds the oldest are forgotten", { timeout: 60_000 }, async () => {
  const file = join(makeFolder(), "holdfast.db");
  await (await openStore(file)).close();
  const database = new DatabaseSync(file);
  database.exec(
    `with recursive n (n) as (select 1 union all select n + 1 from n where n < ${DEEDS_KEPT + 1_200})
      insert into deed (id, at, deed, by, what) select 'ded_' || n, n, 'rule_removed', '{"keeper":""}', '{}' from n`,
  );
  database.close();

  const store = await openStore(file);
  await store.noteDeed({ id: "ded_last", deed: "rule_removed", by: owner, credential: null, what: {} });
  await store.tidy();
  const { items } = await store.deeds({ limit: DEEDS_KEPT + 5_000 });
  expect(items).toHaveLength(DEEDS_KEPT);
  expect([items[0]?.id, items.at(-1)?.id]).toEqual(["ded_last", "ded_1202"]);
});
