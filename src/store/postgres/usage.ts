// What was used, by day, session and model: counted in the transaction of the steps that used it.
import type { UsageChange } from "../../session/usage-changes.ts";
import type { UsageFilled, UsageLeft } from "../fill-usage.ts";
import type { UsageFilter, UsageReport } from "../store.ts";
import {
  COLUMNS,
  COUNT_COLUMNS,
  COUNT_NAMES,
  KEYS,
  parseUsageCursor,
  TOKENS,
  usagePage,
  usageSum,
  type KeyedUsage,
  type UsageRecord,
} from "../usage-row.ts";
import type { Group } from "./append-group.ts";
import type { Database, Queryable, Transaction, Value } from "./database.ts";
import { lockLogs } from "./lock-logs.ts";
import { rowsAlong, type Parameters } from "./rows-along.ts";
import { bigintArray, doubleArray, textArray } from "./wire.ts";

const COUNTED = COLUMNS.join(", ");
const COUNTED_AGAIN = `on conflict (day, session, model) do update set ${COLUMNS.map(
  (column) => `${column} = usage_day.${column} + excluded.${column}`,
).join(", ")}`;

/** The part of append-statement.ts that counts them: each of a log that is locked by it, so nobody waits for a row. */
export function countedUsage(next: Parameters): string {
  return `usage_counted as (
  insert into usage_day (day, session, model, profile, ${COUNTED})
  select e.day, fit.id, e.model, session.profile, ${countsOf("e")}
  from ${usageRows(next)} as e join fit on fit.n = e.n join session on session.id = fit.id
  ${COUNTED_AGAIN})`;
}

export function usageValues(groups: readonly Group[]): Value[] {
  return valuesOf(
    groups.flatMap(({ batch }, index) => batch.usage.map((change) => ({ n: index + 1, change }))),
  );
}

/** For a log that only this transaction can see, or has locked. */
export async function countUsage(
  transaction: Transaction,
  session: string,
  changes: readonly UsageChange[],
): Promise<void> {
  if (changes.length === 0) return;
  let count = 1;
  await transaction.query({
    text: `insert into usage_day (day, session, model, profile, ${COUNTED})
      select e.day, session.id, e.model, session.profile, ${countsOf("e")}
      from ${usageRows((type) => `$${++count}::${type}`)} as e join session on session.id = $1
      ${COUNTED_AGAIN}`,
    values: [session, ...valuesOf(changes.map((change) => ({ n: 1, change })))],
  });
}

const usageRows = (next: Parameters) =>
  rowsAlong(next, {
    each: ["model", "text"],
    numbers: ["n", "day", ...Object.values(COUNT_COLUMNS)],
    amounts: ["cost"],
  });

const countsOf = (rows: string) => COLUMNS.map((column) => `${rows}.${column}`).join(", ");

function valuesOf(counted: readonly { n: number; change: UsageChange }[]): Value[] {
  return [
    textArray(counted.map(({ change }) => change.model)),
    bigintArray(
      counted.flatMap(({ n, change }) => [n, change.day, ...COUNT_NAMES.map((name) => change[name])]),
    ),
    doubleArray(counted.map(({ change }) => change.cost)),
  ];
}

export async function readUsage(database: Queryable, filter: UsageFilter): Promise<UsageReport> {
  const { by, since, until, sessions, profile, model, limit, after } = filter;
  const values: Value[] = [];
  const parameter = (value: Value) => `$${values.push(value)}`;
  const conditions = ["true"];
  if (since !== undefined) conditions.push(`day >= ${parameter(since)}::bigint`);
  if (until !== undefined) conditions.push(`day <= ${parameter(until)}::bigint`);
  if (sessions) conditions.push(`session = any(${parameter(textArray(sessions))}::text[])`);
  if (profile !== undefined) conditions.push(`profile = ${parameter(profile)}`);
  if (model !== undefined) conditions.push(`model = ${parameter(model)}`);
  const where = `from usage_day where ${conditions.join(" and ")}`;
  const [total] = await database.query<UsageRecord & { uncounted: number }>({
    text: `select ${SUMS}, (select count(*) from usage_left) as uncounted ${where}`,
    values: [...values],
  });
  const key = KEYS[by];
  const cursor = after === undefined ? undefined : parseUsageCursor(by, after);
  let having = "";
  if (cursor)
    having =
      "day" in cursor
        ? `having ${key} < ${parameter(cursor.day)}::bigint`
        : `having (-${TOKENS}, ${key}) > (${parameter(-cursor.tokens)}::bigint, ${parameter(cursor.key)})`;
  const order = by === "day" ? `${key} desc` : `-${TOKENS}, ${key}`;
  const records = await database.query<KeyedUsage>({
    text: `select page.*, session.title, session.id is not null as found
      from (select ${key} as key, row_number() over (order by ${order}) as place, ${SUMS} ${where}
        group by ${key} ${having} order by ${order} limit ${parameter(limit + 1)}) as page
      left join session on ${by === "session" ? "session.id = page.key" : "false"} order by place`,
    values,
  });
  const { uncounted, ...sums } = total as UsageRecord & { uncounted: number }; // an aggregate has one row
  return { total: usageSum(sums), rows: usagePage(filter, records), uncounted };
}

const SUMS = [
  ...Object.values(COUNT_COLUMNS).map((column) => `coalesce(sum(${column}), 0)::bigint as ${column}`),
  "coalesce(sum(cost), 0) as cost",
].join(", ");

export async function nextUsageLeft(database: Queryable): Promise<UsageLeft | undefined> {
  const [left] = await database.query<UsageLeft>({ text: "select session, seq from usage_left limit 1" });
  return left;
}

/** Once: with this it is no longer left, whichever node comes first. */
export async function fillUsage(
  database: Database,
  { session, changes, unpricedTokens }: UsageFilled,
): Promise<void> {
  await database.transaction(async (transaction) => {
    await lockLogs(transaction, [session]); // as whoever appends to it
    const [left] = await transaction.query<{ guessed: number }>({
      text: "delete from usage_left where session = $1 returning guessed",
      values: [session],
    });
    if (!left) return;
    await countUsage(transaction, session, changes);
    await transaction.query({
      text: "update session set unpriced_tokens = unpriced_tokens + $2 where id = $1",
      values: [session, unpricedTokens - left.guessed],
    });
  });
}
