import type { AskChange } from "../../session/asks.ts";
import { askColumns, askRow, type AskRecord } from "../ask-row.ts";
import type { AskFilter, AskRow, Rows } from "../store.ts";
import type { Queryable, Transaction, Value } from "./database.ts";
import { textArray } from "./wire.ts";

/** Of a log that only this transaction can see; those of others change with append-statement.ts. */
export async function openAsks(
  transaction: Transaction,
  session: string,
  changes: readonly AskChange[],
): Promise<void> {
  const opened = changes.map(askColumns).filter((ask) => ask.opened !== null);
  if (opened.length === 0) return;
  await transaction.query({
    text: `insert into ask (id, session, state, opened, closed)
      select id, $1, state, opened, closed
      from unnest($2::text[], $3::text[], $4::text[], $5::text[]) as e (id, state, opened, closed)
      on conflict do nothing`,
    values: [
      session,
      ...(["id", "state", "opened", "closed"] as const).map((part) =>
        textArray(opened.map((ask) => ask[part])),
      ),
    ],
  });
}

export async function readAsk(database: Queryable, id: string): Promise<AskRow | undefined> {
  const [record] = await database.query<AskRecord>({
    name: "ask",
    text: "select id, session, state, opened, closed from ask where id = $1",
    values: [id],
  });
  return record && askRow(record);
}

export async function readAsks(database: Queryable, filter: AskFilter): Promise<Rows<AskRow>> {
  const { open, sessions, limit, after } = filter;
  const values: Value[] = [limit + 1];
  const parameter = (value: Value) => `$${values.push(value)}`;
  const conditions = ["true"];
  if (open !== undefined) conditions.push(`state ${open ? "=" : "<>"} 'open'`);
  if (sessions) conditions.push(`session = any(${parameter(textArray(sessions))}::text[])`);
  if (after !== undefined) conditions.push(`id < ${parameter(after)}`);
  const records = await database.query<AskRecord>({
    text: `select id, session, state, opened, closed from ask
      where ${conditions.join(" and ")} order by id desc limit $1`,
    values,
  });
  const items = records.slice(0, limit).map(askRow);
  return { items, next: records.length > limit ? (items.at(-1)?.id ?? null) : null };
}
