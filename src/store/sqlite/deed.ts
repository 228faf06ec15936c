import type { Deed } from "../../session/deed.ts";
import { deedPage, type DeedRecord } from "../deed-row.ts";
import type { DeedFilter, DeedRow, Rows } from "../store.ts";
import type { Database } from "./database.ts";
import type { Writing } from "./writing.ts";

export function noteDeed({ database }: Writing, deed: Deed, now: number): void {
  database.run(
    "insert into deed (id, at, deed, by, credential, what) values (?, ?, ?, ?, ?, ?) on conflict (id) do nothing",
    deed.id,
    now,
    deed.deed,
    JSON.stringify(deed.by),
    deed.credential,
    JSON.stringify(deed.what),
  );
}

/** With what it is the deed of, if that came to anything. */
export function noting<R extends { ok: boolean }>(
  writing: Writing,
  deed: Deed | undefined,
  now: number,
  result: R,
): R {
  if (deed && result.ok) noteDeed(writing, deed, now);
  return result;
}

export function readDeeds(database: Database, { limit, after }: DeedFilter): Rows<DeedRow> {
  const records =
    after === undefined
      ? database.all<DeedRecord>(`${DEEDS} order by seq desc limit ?`, limit + 1)
      : database.all<DeedRecord>(
          // One that is no longer there was among the oldest: nothing comes after it.
          `${DEEDS} where seq < (select seq from deed where id = ?) order by seq desc limit ?`,
          after,
          limit + 1,
        );
  return deedPage(records, limit);
}

const DEEDS = "select id, at, deed, by, credential, what from deed";
