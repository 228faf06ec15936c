import type { Deed } from "../../session/deed.ts";
import { deedPage, type DeedRecord } from "../deed-row.ts";
import type { DeedFilter, DeedRow, Rows } from "../store.ts";
import type { Context } from "./context.ts";
import type { Queryable, Transaction } from "./database.ts";

/** Noted again it changes nothing, so a lost connection is no reason not to know. */
export async function noteDeed({ database, clock }: Context, deed: Deed): Promise<void> {
  const at = clock();
  await database.transaction((transaction) => insertDeed(transaction, deed, at), { repeatable: true });
}

/** With what it is the deed of, if that came to anything. */
export async function noting<R extends { ok: boolean }>(
  transaction: Transaction,
  deed: Deed | undefined,
  at: number,
  result: R,
): Promise<R> {
  if (deed && result.ok) await insertDeed(transaction, deed, at);
  return result;
}

/** Looked for first: a conflict alone would use up a number, and by their numbers the oldest are forgotten. */
async function insertDeed(transaction: Transaction, deed: Deed, at: number): Promise<void> {
  await transaction.query({
    text: `insert into deed (id, at, deed, by, credential, what)
      select $1, $2::bigint, $3, $4, $5, $6 where not exists (select from deed where id = $1)
      on conflict (id) do nothing`,
    values: [deed.id, at, deed.deed, JSON.stringify(deed.by), deed.credential, JSON.stringify(deed.what)],
  });
}

export async function readDeeds(database: Queryable, { limit, after }: DeedFilter): Promise<Rows<DeedRow>> {
  const records = await database.query<DeedRecord>({
    // One that is no longer there was among the oldest: nothing comes after it.
    text: `select id, at, deed, by, credential, what from deed
      where $2::text is null or seq < (select seq from deed where id = $2) order by seq desc limit $1`,
    values: [limit + 1, after ?? null],
  });
  return deedPage(records, limit);
}
