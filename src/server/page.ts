// Pages of lists whose rows are told by their ids.
import type { IdPrefix } from "../session/ids.ts";
import { isIdCursor } from "../store/id-cursor.ts";
import { refuseField } from "./refusal.ts";

/** What a page is asked for by, once `after` can be what a page before ended with: one made up would read as the end. */
export function pageQuery<T extends { after?: string | undefined }>(prefix: IdPrefix, query: T): T {
  if (query.after !== undefined && !isIdCursor(prefix, query.after))
    refuseField("query.after", "must be the `next` of the page before, as it was given");
  return query;
}

/** Of a list that is short enough to be read whole: newest first, by id. */
export function pageOf<T extends { id: string }>(
  rows: readonly T[],
  { limit, after }: { limit: number; after?: string | undefined },
): { items: T[]; next: string | null } {
  const left = after === undefined ? rows : rows.filter(({ id }) => id < after);
  const items = left.slice(0, limit);
  return { items, next: left.length > limit ? (items.at(-1)?.id ?? null) : null };
}
