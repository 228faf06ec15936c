// A deed's row, the same in both databases: nothing is looked up by who did it or to what, so these are kept as JSON.
import type { Deed } from "../session/deed.ts";
import type { DeedRow, Rows } from "./store.ts";

export type DeedRecord = Pick<DeedRow, "id" | "deed" | "credential"> & {
  at: number;
  by: string;
  what: string;
};

/** Of one record more than the page takes, if there are so many. */
export function deedPage(records: readonly DeedRecord[], limit: number): Rows<DeedRow> {
  const items = records.slice(0, limit).map(deedRow);
  return { items, next: records.length > limit ? (items.at(-1)?.id ?? null) : null };
}

function deedRow({ id, at, deed, by, credential, what }: DeedRecord): DeedRow {
  return {
    id,
    at: new Date(at).toISOString(),
    deed,
    by: JSON.parse(by) as Deed["by"], // both as noteDeed wrote them
    credential,
    what: JSON.parse(what) as Deed["what"],
  };
}
