// A session's row as it goes over the wire: as it lies in the store.
import type { SessionRow } from "../protocol/http.ts";
import type { SessionRow as StoredRow } from "../store/store.ts";

export function wireRow(row: StoredRow): SessionRow {
  return row;
}
