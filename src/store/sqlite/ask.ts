import type { AskChange } from "../../session/asks.ts";
import { askColumns, askRow, type AskRecord } from "../ask-row.ts";
import type { AskFilter, AskRow, Rows } from "../store.ts";
import type { Database, Value } from "./database.ts";
import type { LogState } from "./logs.ts";
import type { Writing } from "./writing.ts";

/** In the transaction of the events that it follows from. */
export function changeAsk({ database }: Writing, { key }: LogState, change: AskChange): void {
  const { id, state, opened, closed } = askColumns(change);
  if (opened !== null)
    database.run(
      "insert or ignore into ask (id, log, state, opened, closed) values (?, ?, ?, ?, ?)",
      id,
      key,
      state,
      opened,
      closed,
    );
  // By its own session only: a fork closes asks of the same name in its copied log.
  else
    database.run(
      "update ask set state = ?, closed = ? where id = ? and log = ? and state = 'open'",
      state,
      closed,
      id,
      key,
    );
}

export function readAsk(database: Database, id: string): AskRow | undefined {
  const record = database.get<AskRecord>(`${ASKS} where ask.id = ?`, id);
  return record && askRow(record);
}

export function readAsks(database: Database, filter: AskFilter): Rows<AskRow> {
  const { open, sessions, limit, after } = filter;
  const values: Value[] = [limit + 1];
  const parameter = (value: Value) => `?${values.push(value)}`;
  const conditions: string[] = [];
  if (open !== undefined) conditions.push(`ask.state ${open ? "=" : "<>"} 'open'`);
  if (sessions)
    conditions.push(`session.id in (select value from json_each(${parameter(JSON.stringify(sessions))}))`);
  if (after !== undefined) conditions.push(`ask.id < ${parameter(after)}`);
  const where = conditions.length > 0 ? `where ${conditions.join(" and ")}` : "";
  const records = database.all<AskRecord>(`${ASKS} ${where} order by ask.id desc limit ?1`, ...values);
  const items = records.slice(0, limit).map(askRow);
  return { items, next: records.length > limit ? (items.at(-1)?.id ?? null) : null };
}

const ASKS = `select ask.id, session.id as session, ask.state, ask.opened, ask.closed
  from ask join session on session.log = ask.log`;
