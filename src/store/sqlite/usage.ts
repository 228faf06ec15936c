// What was used, by day, session and model: counted in the transaction of the steps that used it.
import type { UsageChange } from "../../session/usage-changes.ts";
import type { UsageFilled, UsageLeft } from "../fill-usage.ts";
import type { UsageFilter, UsageReport } from "../store.ts";
import {
  COLUMNS,
  COUNT_NAMES,
  KEYS,
  parseUsageCursor,
  TOKENS,
  usagePage,
  usageSum,
  type KeyedUsage,
  type UsageRecord,
} from "../usage-row.ts";
import type { Database, Value } from "./database.ts";
import type { LogState } from "./logs.ts";
import type { Writing } from "./writing.ts";

/** As the writer's thread gets it, in the order in which the statements take it. */
export type PackedUsage = [...counts: number[], cost: number, day: number, model: string];

export function packUsage(change: UsageChange): PackedUsage {
  return [...COUNT_NAMES.map((name) => change[name]), change.cost, change.day, change.model];
}

/** Most steps are not the first of their day, and then this takes less than an insert that finds its row there. */
export function countUsage({ database }: Writing, { key, id }: LogState, used: PackedUsage): void {
  if (database.tuple(ADD, ...used, id) === undefined) database.run(INSERT, ...used, key);
}

const ADD = `update usage_day set ${COLUMNS.map((column, n) => `${column} = ${column} + ?${n + 1}`).join(", ")}
  where day = ?${COLUMNS.length + 1} and model = ?${COLUMNS.length + 2} and session = ?${COLUMNS.length + 3} returning 1`;
const INSERT = `insert into usage_day (${COLUMNS.join(", ")}, day, model, session, profile)
  select ${COLUMNS.map((_, n) => `?${n + 1}`).join(", ")}, ?${COLUMNS.length + 1}, ?${COLUMNS.length + 2}, id, profile
  from session where log = ?${COLUMNS.length + 3}`;

export function readUsage(database: Database, filter: UsageFilter): UsageReport {
  const { by, since, until, sessions, profile, model, limit, after } = filter;
  const values: Value[] = [];
  const parameter = (value: Value) => `?${values.push(value)}`;
  const conditions = ["true"];
  if (since !== undefined) conditions.push(`day >= ${parameter(since)}`);
  if (until !== undefined) conditions.push(`day <= ${parameter(until)}`);
  if (sessions)
    conditions.push(`session in (select value from json_each(${parameter(JSON.stringify(sessions))}))`);
  if (profile !== undefined) conditions.push(`profile = ${parameter(profile)}`);
  if (model !== undefined) conditions.push(`model = ${parameter(model)}`);
  const where = `from usage_day where ${conditions.join(" and ")}`;
  const total = database.get<UsageRecord>(`select ${SUMS} ${where}`, ...values);
  const key = KEYS[by];
  const cursor = after === undefined ? undefined : parseUsageCursor(by, after);
  let having = "";
  if (cursor)
    having =
      "day" in cursor
        ? `having ${key} < ${parameter(cursor.day)}`
        : `having (-${TOKENS}, ${key}) > (${parameter(-cursor.tokens)}, ${parameter(cursor.key)})`;
  const order = by === "day" ? `${key} desc` : `-${TOKENS}, ${key}`;
  const records = database.all<KeyedUsage>(
    `select page.*, session.title, session.id is not null as found
      from (select ${key} as key, row_number() over (order by ${order}) as place, ${SUMS} ${where}
        group by ${key} ${having} order by ${order} limit ${parameter(limit + 1)}) as page
      left join session on ${by === "session" ? "session.id = page.key" : "false"} order by place`,
    ...values,
  );
  const [uncounted] = database.tuple<[number]>("select count(*) from usage_left") ?? [0];
  return { total: usageSum(total as UsageRecord), rows: usagePage(filter, records), uncounted };
}

const SUMS = COLUMNS.map((column) => `coalesce(sum(${column}), 0) as ${column}`).join(", ");

export function isUsageLeft(database: Database): boolean {
  return database.tuple("select 1 from usage_left limit 1") !== undefined;
}

export function nextUsageLeft(database: Database): UsageLeft | undefined {
  return database.get<UsageLeft>("select session, seq from usage_left limit 1");
}

/** Once: with this it is no longer left. */
export function fillUsage(writing: Writing, { session, changes, unpricedTokens }: UsageFilled): void {
  const { database } = writing;
  const left = database.get<{ guessed: number }>(
    "delete from usage_left where session = ? returning guessed",
    session,
  );
  const log = writing.logs.find(session);
  if (!left || !log) return;
  for (const change of changes) countUsage(writing, log, packUsage(change));
  database.run(
    "update session set unpriced_tokens = unpriced_tokens + ? where id = ?",
    unpricedTokens - left.guessed,
    session,
  );
}
