import pg from "pg";
import { afterAll, expect, it } from "vitest";
import { openNode, owner } from "../../../test/open-postgres.ts";
import { useDatabase } from "../../../test/postgres.ts";
import { DEEDS_KEPT } from "../store.ts";

const database = await useDatabase();
const other = new pg.Client({ connectionString: database });
await other.connect();
afterAll(() => other.end());

it(
  "of very many deeds the oldest are forgotten, however often some were noted",
  { timeout: 60_000 },
  async () => {
    const store = await openNode(database);
    await other.query(
      `insert into deed (id, at, deed, by, what)
      select 'ded_' || n, n, 'rule_removed', '{"keeper":""}', '{}' from generate_series(1, $1::bigint) n`,
      [DEEDS_KEPT + 1_200],
    );
    const last = { id: "ded_last", deed: "rule_removed", by: owner, credential: null, what: {} } as const;
    for (let n = 0; n < 20; n++) await store.noteDeed(last);
    await store.noteDeed({ ...last, id: "ded_very_last" });
    await store.tidy();
    const { items } = await store.deeds({ limit: DEEDS_KEPT + 5_000 });
    expect(items).toHaveLength(DEEDS_KEPT);
    expect([items[0]?.id, items.at(-1)?.id]).toEqual(["ded_very_last", "ded_1203"]);
  },
);
