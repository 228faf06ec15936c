// A page of a list that is short enough to be read whole: newest first, by id.

export function pageOf<T extends { id: string }>(
  rows: readonly T[],
  { limit, after }: { limit: number; after?: string | undefined },
): { items: T[]; next: string | null } {
  const left = after === undefined ? rows : rows.filter(({ id }) => id < after);
  const items = left.slice(0, limit);
  return { items, next: left.length > limit ? (items.at(-1)?.id ?? null) : null };
}
