// What was used, by day, session and model: counted in the transaction of the steps that used it.
import type { UsageChange } from "../../session/usage-changes.ts";
import type { UsageFilled, UsageLeft } from "../fill-usage.ts";
import type { UsageFilter, UsageReport } from "../store.ts";
import {
  COUNT_COLUMNS,
  COUNT_NAMES,
  COUNTED,
  COUNTED_AGAIN,
  KEYS,
  parseUsageCursor,
  TOKENS,
  usagePage,
  usageSum,
  type KeyedUsage,
  type UsageRecord,
} from "../usage-row.ts";
import type { Database, Value } from "./database.ts";
import type { Writing } from "./writing.ts";

export function countUsage({ database }: Writing, session: string, change: UsageChange): void {
  database.run(
    `insert into usage_day (day, session, model, profile, ${COUNTED})
      select ?1, id, ?3, profile, ${COUNT_NAMES.map((_, n) => `?${n + 4}`).join(", ")}, ?${COUNT_NAMES.length + 4}
      from session where id = ?2 ${COUNTED_AGAIN}`,
    change.day,
    session,
    change.model,
    ...COUNT_NAMES.map((name) => change[name]),
    change.cost,
  );
}

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

const SUMS = [...Object.values(COUNT_COLUMNS), "cost"]
  .map((column) => `coalesce(sum(${column}), 0) as ${column}`)
  .join(", ");

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
  if (!left) return;
  for (const change of changes) countUsage(writing, session, change);
  database.run(
    "update session set unpriced_tokens = unpriced_tokens + ? where id = ?",
    unpricedTokens - left.guessed,
    session,
  );
}
