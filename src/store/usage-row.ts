// What was used, between its two shapes: columns in a table, and what the store's readers get.
import { DAY_MS, type UsageCount } from "../session/usage-changes.ts";
import type { Rows, UsageBy, UsageFilter, UsageRow, UsageSum } from "./store.ts";

/** All but the cost are whole numbers. */
export const COUNT_COLUMNS = {
  steps: "steps",
  inputTokens: "input_tokens",
  cachedTokens: "cached_tokens",
  outputTokens: "output_tokens",
  reasoningTokens: "reasoning_tokens",
  unpricedSteps: "unpriced_steps",
  unpricedTokens: "unpriced_tokens",
} as const satisfies Partial<Record<keyof UsageCount, string>>;

export const COUNT_NAMES = Object.keys(COUNT_COLUMNS) as (keyof typeof COUNT_COLUMNS)[];
/** In this order wherever all of them are listed. */
export const COLUMNS = [...Object.values(COUNT_COLUMNS), "cost"];

/** Of a model or profile that is so named, of a day as its number. */
export const KEYS: Readonly<Record<UsageBy, string>> = {
  day: "day",
  model: "model",
  profile: "profile",
  session: "session",
};

export const TOKENS = "sum(input_tokens + output_tokens)";

export type UsageRecord = Record<(typeof COUNT_COLUMNS)[keyof typeof COUNT_COLUMNS] | "cost", number>;
export type KeyedUsage = UsageRecord & {
  key: string | number;
  title: string | null;
  /** Whether the session is there. */
  found: boolean | number;
};

export function usageSum(record: UsageRecord): UsageSum {
  const { steps, unpriced_steps, cost } = record;
  return {
    steps,
    inputTokens: record.input_tokens,
    cachedTokens: record.cached_tokens,
    outputTokens: record.output_tokens,
    reasoningTokens: record.reasoning_tokens,
    cost: steps > 0 && unpriced_steps === steps ? null : cost,
    unpricedSteps: unpriced_steps,
    unpricedTokens: record.unpriced_tokens,
  };
}

/** Of one record more than the page has room for. */
export function usagePage({ by, limit }: UsageFilter, records: readonly KeyedUsage[]): Rows<UsageRow> {
  const items = records.slice(0, limit).map((record): UsageRow => ({
    key: by === "day" ? dayText(Number(record.key)) : String(record.key),
    title: record.title,
    deleted: by === "session" && !record.found,
    ...usageSum(record),
  }));
  const last = items.at(-1);
  return { items, next: records.length > limit && last ? usageCursorAfter(by, last) : null };
}

export function dayText(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

/** Where a page ended: at a day, or at so many tokens of a key. */
export type UsageCursor = { day: number } | { tokens: number; key: string };

function usageCursorAfter(by: UsageBy, { key, inputTokens, outputTokens }: UsageRow): string {
  if (by === "day") return key;
  return Buffer.from(JSON.stringify([inputTokens + outputTokens, key])).toString("base64url");
}

/** Undefined when the text is none of ours, or of another breakdown. */
export function parseUsageCursor(by: UsageBy, text: string): UsageCursor | undefined {
  if (by === "day") {
    const day = Date.parse(`${text}T00:00:00Z`) / DAY_MS;
    return Number.isSafeInteger(day) ? { day } : undefined;
  }
  try {
    const [tokens, key] = JSON.parse(Buffer.from(text, "base64url").toString()) as unknown[];
    return Number.isSafeInteger(tokens) && typeof key === "string"
      ? { tokens: tokens as number, key }
      : undefined;
  } catch {
    return undefined; // a client made it up
  }
}
